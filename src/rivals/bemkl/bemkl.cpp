#include "rivals/bemkl/bemkl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "m3lak/error.h"
#include "rivals/bemkl/inference.h"
#include "rivals/bemkl/kernels.h"
#include "rivals/distances.h"
#include "rivals/standard_views.h"

namespace m3lak {

namespace {

using bemkl_parts::Inference;
using bemkl_parts::Kernels;
using bemkl_parts::Posterior;
using bemkl_parts::random_start;
using bemkl_parts::Widths;
using bemkl_parts::without_narrow;

/// What all machines of one training share.
struct Training {
  StandardViews standard;
  std::vector<DenseMatrix> views;
  std::vector<Widths> widths = {};  ///< of each view
};

class BemklMachine : public Machine {
 public:
  BemklMachine(std::shared_ptr<const Training> training, const Posterior& q)
      : training_(std::move(training)), a_(q.a), e_(q.e()), b_(q.b()) {}

  // b + Σ_p e_p aᵀ k_p(x). Kernels of so many instances at a time as need little memory.
  Vector scores(const Dataset& data, Workers& workers) const override {
    constexpr Index instances_at_once = 256;
    const std::vector<DenseMatrix> views = training_->standard(data);
    Vector scores(data.instances());
    const Blocks parts{data.instances(), instances_at_once};
    for (Index i = 0; i < parts.number(); ++i) {
      scores.segment(parts[i].begin, parts[i].size) = part_scores(views, parts[i], workers);
    }
    return scores;
  }

 private:
  Vector part_scores(const std::vector<DenseMatrix>& views, const Block& part,
                     Workers& workers) const {
    std::vector<Matrix> distances;
    for (std::size_t v = 0; v < views.size(); ++v) {
      distances.push_back(squared_distances(workers, training_->views[v],
                                            views[v].middleRows(part.begin, part.size)));
    }
    const Kernels kernels(training_->widths, std::move(distances));
    constexpr Index instances_a_block = 16;
    Vector scores(part.size);
    for_each_block(workers, {part.size, instances_a_block}, [&](const Block& block) {
      Matrix K(kernels.rows(), kernels.count());
      for (Index n = block.begin; n < block.end(); ++n) {
        kernels.of_instance(n, K);
        scores[n] = b_ + e_.dot(K.transpose() * a_);
      }
    });
    return scores;
  }

  std::shared_ptr<const Training> training_;
  Vector a_, e_;
  double b_;
};

class Bemkl : public Rival {
 public:
  explicit Bemkl(const BemklOptions& options)
      : options_(options), widths_{options.narrowest, options.widest, options.denominator} {}

  std::size_t settings() const override { return 1; }

  std::string describe(std::size_t) const override {
    const std::string all = fmt::format("s = 2^{} … 2^{}", widths_.narrowest, widths_.widest);
    if (options_.least_width == 0) return all;
    return fmt::format("{}, none below {} of a view's median distance", all, options_.least_width);
  }

  double bytes(const Size& training, int threads) const override {
    const auto N = static_cast<double>(training.instances);
    const auto views = static_cast<double>(training.features.size());
    const Index kernels = std::ssize(training.features) * widths_.count();
    const auto P = static_cast<double>(kernels);
    double features = 0;
    for (const Index count : training.features) features += static_cast<double>(count);
    // Scaled views and their rows; distances, T and its factor; values of many instances while T is
    // made; G and aᵀk; of each thread kernel values, a part of L⁻¹ and partial sums.
    const double numbers = 2 * N * features + (views + 2) * N * N +
                           N * static_cast<double>(bemkl_parts::columns_at_once(kernels)) +
                           3 * N * P + 8 * P * P + threads * N * (P + 80);
    return 8 * numbers;
  }

  std::vector<std::unique_ptr<Machine>> train(const Dataset& training, const Vector& y,
                                              std::span<const std::size_t> settings,
                                              Workers& workers,
                                              const std::function<bool()>& stop) const override {
    const StandardViews standard(training);
    const auto shared = std::make_shared<Training>(Training{standard, standard(training)});
    const Posterior q = infer(*shared, y, workers, stop);
    std::vector<std::unique_ptr<Machine>> machines;
    for (std::size_t i = 0; i < settings.size(); ++i) {
      machines.push_back(std::make_unique<BemklMachine>(shared, q));
    }
    return machines;
  }

 private:
  Posterior infer(Training& training, const Vector& y, Workers& workers,
                  const std::function<bool()>& stop) const {
    std::vector<Matrix> distances;
    for (const DenseMatrix& view : training.views) {
      stop_if(stop);
      distances.push_back(squared_distances(workers, view));
      training.widths.push_back(without_narrow(widths_, distances.back(), options_.least_width));
    }
    const Kernels kernels(training.widths, std::move(distances));
    Inference inference(workers, kernels, y, options_,
                        random_start(y, kernels.count(), options_.margin, options_.seed), stop);
    double before = -INFINITY;
    for (int sweep = 0; sweep < options_.sweeps; ++sweep) {
      stop_if(stop);
      inference.sweep();
      if (options_.tolerance == 0) continue;
      const double bound = inference.bound();
      if (bound - before < options_.tolerance * std::abs(bound)) break;
      before = bound;
    }
    return inference.posterior();
  }

  BemklOptions options_;
  Widths widths_;
};

}  // namespace

std::unique_ptr<Rival> bemkl(BemklOptions options) {
  const auto require = [](bool met, const char* rule) {
    if (!met) throw BadUsage(fmt::format("bemkl: {}", rule));
  };
  require(options.narrowest <= options.widest, "narrowest must not be above widest");
  require(options.denominator > 0, "denominator must be positive");
  require(options.least_width >= 0, "least_width must not be negative");
  require(options.noise > 0, "noise must be positive");
  require(options.margin >= 0, "margin must not be negative");
  require(options.sweeps > 0, "sweeps must be positive");
  require(options.tolerance >= 0, "tolerance must not be negative");
  return std::make_unique<Bemkl>(options);
}

}  // namespace m3lak
