#include "rivals/bm2smvl/bm2smvl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "m3lak/error.h"
#include "rivals/bm2smvl/gibbs.h"
#include "rivals/bm2smvl/problem.h"
#include "rivals/bm2smvl/start.h"
#include "rivals/bm2smvl/variational.h"
#include "rivals/standard_views.h"

namespace m3lak {

namespace {

using namespace bm2smvl_parts;
using Engine = Bm2smvlOptions::Engine;

constexpr std::array grid = {1.0, 2.0, 3.0};
constexpr int variational_sweeps = 200, gibbs_sweeps = 1000;

class LinearMachine : public Machine {
 public:
  LinearMachine(const StandardViews& standard, LinearRule rule)
      : standard_(standard), rule_(std::move(rule)) {}

  Vector scores(const Dataset& data, Workers&) const override {
    Vector scores = Vector::Constant(data.instances(), rule_.intercept);
    Index first = 0;
    for (const DenseMatrix& view : standard_(data)) {
      scores.noalias() += view * rule_.weights.segment(first, view.cols());
      first += view.cols();
    }
    return scores;
  }

 private:
  StandardViews standard_;
  LinearRule rule_;
};

LinearRule by_variational(Workers& workers, const Problem& problem, const Bm2smvlOptions& options,
                          double C, const DenseMatrix& start, const std::function<bool()>& stop) {
  Variational posterior(workers, problem, options, C, start);
  const int most = options.sweeps > 0 ? options.sweeps : variational_sweeps;
  double before = -std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < most; ++sweep) {
    stop_if(stop);
    posterior.sweep();
    const double bound = posterior.bound();
    if (std::abs(bound - before) <= options.tolerance * std::abs(bound)) break;
    before = bound;
  }
  return posterior.rule();
}

/// Scores are linear in the rule, so that the mean of the rules has the mean of the scores.
LinearRule by_gibbs(Workers& workers, const Problem& problem, const Bm2smvlOptions& options,
                    double C, const DenseMatrix& start, const std::function<bool()>& stop) {
  Gibbs chain(workers, problem, options, C, start);
  const int sweeps = options.sweeps > 0 ? options.sweeps : gibbs_sweeps;
  const int kept = std::min(options.kept, sweeps);
  LinearRule mean{Vector::Zero(problem.features())};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    stop_if(stop);
    chain.sweep();
    if (sweep < sweeps - kept) continue;
    const LinearRule rule = chain.rule();
    mean.weights += rule.weights / kept;
    mean.intercept += rule.intercept / kept;
  }
  return mean;
}

void check(const Bm2smvlOptions& options) {
  const auto require = [](bool holds, const char* rule) {
    if (!holds) throw BadUsage(fmt::format("bm2smvl: {}", rule));
  };
  require(options.latent >= 1, "latent must be 1 or more");
  require(options.C >= 0, "C must not be negative");
  require(options.sweeps >= 0, "sweeps must not be negative");
  require(options.kept >= 1, "kept must be 1 or more");
  require(options.tolerance >= 0, "tolerance must not be negative");
  require(options.mean_precision > 0 && options.private_precision > 0,
          "precisions must be positive");
  for (const auto& prior : {options.relevance, options.noise, options.weight_precision}) {
    require(prior.shape > 0 && prior.rate > 0, "shapes and rates must be positive");
  }
  require(options.private_factors >= 0, "private_factors must not be negative");
  require(options.private_factors == 0 || options.engine == Engine::gibbs,
          "private_factors are for the sampler only");
}

class Bm2smvl : public Rival {
 public:
  explicit Bm2smvl(const Bm2smvlOptions& options) : options_(options) { check(options); }

  std::size_t settings() const override { return options_.C > 0 ? 1 : grid.size(); }

  std::string describe(std::size_t setting) const override {
    return fmt::format("C = {}", C_of(setting));
  }

  double bytes(const Size& training, int) const override {
    const Index features =
        std::accumulate(training.features.begin(), training.features.end(), Index{0});
    const auto N = static_cast<double>(training.instances), D = static_cast<double>(features);
    const auto factors = static_cast<double>(options_.latent + std::ssize(training.features) *
                                                                   options_.private_factors);
    // Two dense copies of the data, a few matrices of the size of the latents, and a few times what
    // is learned of the features: sums over blocks of instances wait for each other.
    constexpr double of_latents = 6, of_features = 24;
    return 8 * (2 * N * D + of_latents * N * factors + of_features * D * factors +
                start_memory(training.instances, features, options_.latent));
  }

  std::vector<std::unique_ptr<Machine>> train(const Dataset& training, const Vector& y,
                                              std::span<const std::size_t> settings,
                                              Workers& workers,
                                              const std::function<bool()>& stop) const override {
    stop_if(stop);
    const StandardViews standard(training);
    const Problem problem = make_problem(standard(training), y);
    const DenseMatrix start = start_latents(workers, problem, options_.latent, options_.seed);
    const auto fit = options_.engine == Engine::gibbs ? by_gibbs : by_variational;
    std::vector<std::unique_ptr<Machine>> machines;
    for (const std::size_t setting : settings) {
      machines.push_back(std::make_unique<LinearMachine>(
          standard, fit(workers, problem, options_, C_of(setting), start, stop)));
    }
    return machines;
  }

 private:
  double C_of(std::size_t setting) const { return options_.C > 0 ? options_.C : grid.at(setting); }

  Bm2smvlOptions options_;
};

}  // namespace

std::unique_ptr<Rival> bm2smvl(Bm2smvlOptions options) {
  return std::make_unique<Bm2smvl>(options);
}

}  // namespace m3lak
