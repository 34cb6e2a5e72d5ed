// Does the sampler of BM2SMVL draw from the posterior? Of variables and data that were drawn
// together, exactly, some sweeps (and data drawn anew in between) must not change the distribution:
// that is wrong as soon as one conditional is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "numeric/distributions.h"
#include "numeric/statistics.h"
#include "rivals/bm2smvl/gibbs.h"
#include "rivals/bm2smvl/problem.h"
#include "rivals/bm2smvl/streams.h"

namespace m3lak {
namespace {

using bm2smvl_parts::Columns;
using bm2smvl_parts::Gibbs;

constexpr double loss = 0.4;  // C
constexpr Index latent_dimension = 2;

/// Priors under which nothing has heavy tails.
Bm2smvlOptions mild_priors() {
  Bm2smvlOptions options{.engine = Bm2smvlOptions::Engine::gibbs, .latent = latent_dimension};
  options.relevance = {4, 3};
  options.noise = {5, 4};
  options.weight_precision = {4, 3};
  options.mean_precision = 2;
  options.private_factors = 1;
  options.private_precision = 2;
  return options;
}

/// Six instances of two views.
class SmallWorld {
 public:
  SmallWorld() : y_((Vector(6) << 1, -1, -1, 1, -1, -1).finished()) {
    problem_ = bm2smvl_parts::make_problem({DenseMatrix::Zero(6, 2), DenseMatrix::Zero(6, 3)}, y_);
  }

  const bm2smvl_parts::Problem& problem() const { return problem_; }

  /// Variables from their prior, as often as labels say so with probability exp(-2C hinge).
  Gibbs::State draw(Stream& stream, const Bm2smvlOptions& of, Gibbs::State state) const {
    do {
      state.v = gamma(stream, of.weight_precision.shape, of.weight_precision.rate);
      state.eta = bm2smvl_parts::normals(stream, latent_dimension + 1, 1) / std::sqrt(state.v);
      state.factors = bm2smvl_parts::normals(stream, y_.size(), state.factors.cols());
    } while (std::log(stream.uniform()) > -2 * loss * hinge(state));
    state.mu = bm2smvl_parts::normals(stream, state.mu.size(), 1) / std::sqrt(of.mean_precision);
    for (std::size_t i = 0; i < state.views.size(); ++i) {
      const auto [first, count] = problem_.views[i];
      Gibbs::View& view = state.views[i];
      view.noise = gamma(stream, of.noise.shape, of.noise.rate);
      for (Index j = 0; j < latent_dimension; ++j) {
        view.precision[j] = gamma(stream, of.relevance.shape, of.relevance.rate);
      }
      view.precision[latent_dimension] = of.private_precision;
      state.loadings.middleRows(first, count) =
          bm2smvl_parts::normals(stream, count, view.precision.size()) *
          view.precision.cwiseSqrt().cwiseInverse().asDiagonal();
    }
    return state;
  }

  /// Of the state's variables.
  void draw_data(Stream& stream, const Gibbs::State& state) {
    std::vector<DenseMatrix> views;
    for (std::size_t i = 0; i < state.views.size(); ++i) {
      const Index count = problem_.views[i].count;
      views.emplace_back(means(state, i) + bm2smvl_parts::normals(stream, y_.size(), count) /
                                               std::sqrt(state.views[i].noise));
    }
    problem_ = bm2smvl_parts::make_problem(std::move(views), y_);
  }

  std::map<std::string, double> features(const Gibbs::State& state) const {
    const auto H = state.factors.leftCols(latent_dimension);
    const auto w = state.eta.head(latent_dimension);
    std::map<std::string, double> all = {
        {"log v", std::log(state.v)},
        {"b", state.eta[latent_dimension]},
        {"squared w", w.squaredNorm()},
        {"squared b", std::pow(state.eta[latent_dimension], 2)},
        {"hinge", hinge(state)},
        {"squared h", H.squaredNorm()},
        {"scores", (H * w).squaredNorm()},
        {"squared mu", state.mu.squaredNorm()},
        {"mu", state.mu.sum()},
    };
    for (std::size_t i = 0; i < state.views.size(); ++i) {
      const auto [first, count] = problem_.views[i];
      const std::string number = std::to_string(i);
      const Matrix W = state.loadings.middleRows(first, count).leftCols(latent_dimension);
      const Matrix V = state.loadings.middleRows(first, count).rightCols(1);
      const DenseMatrix X = problem_.X.middleCols(first, count);
      all["log tau " + number] = std::log(state.views[i].noise);
      all["log r " + number] = state.views[i].precision.head(latent_dimension).array().log().sum();
      all["squared W " + number] = W.squaredNorm();
      all["squared V " + number] = V.squaredNorm();
      all["W and r " + number] =
          (W.colwise().squaredNorm() * state.views[i].precision.head(latent_dimension)).value();
      all["squared u " + number] =
          state.factors.col(latent_dimension + static_cast<Index>(i)).squaredNorm();
      all["residual " + number] = (X - means(state, i)).squaredNorm() * state.views[i].noise;
      all["x and Wh " + number] = X.cwiseProduct(H * W.transpose()).sum();
      all["x and mu " + number] = (X * state.mu.segment(first, count)).sum();
    }
    return all;
  }

 private:
  /// μ + W h + V u of all instances.
  DenseMatrix means(const Gibbs::State& state, std::size_t i) const {
    const auto [first, count] = problem_.views[i];
    const std::vector<Index>& own = state.views[i].factors;
    const Matrix Z = state.factors(Eigen::all, own);
    return (Z * state.loadings.middleRows(first, count).transpose()).rowwise() +
           state.mu.segment(first, count).transpose();
  }

  double hinge(const Gibbs::State& state) const {
    const auto H = state.factors.leftCols(latent_dimension);
    const Vector s = (H * state.eta.head(latent_dimension)).array() + state.eta[latent_dimension];
    return (1 - y_.array() * s.array()).max(0).sum();
  }

  Vector y_;
  bm2smvl_parts::Problem problem_;
};

/// The smallest p-value over all features: is their mean after some sweeps what it was in the exact
/// draw before? The chain believes `options`, with this C.
std::pair<double, std::string> worst_after_sweeps(const Bm2smvlOptions& options, double C) {
  constexpr int replicates = sanitized ? 150 : 4000, sweeps = 4;
  SmallWorld world;
  Workers workers(1);
  Gibbs chain(workers, world.problem(), options, C, DenseMatrix::Zero(6, latent_dimension));
  const Gibbs::State shape = chain.state();
  std::map<std::string, std::vector<double>> differences;
  Stream stream({.seed = 11});
  for (int r = 0; r < replicates; ++r) {
    Gibbs::State state = world.draw(stream, mild_priors(), shape);
    world.draw_data(stream, state);
    const auto before = world.features(state);
    for (int i = 0; i < sweeps; ++i) {
      for (Gibbs::View& view : state.views) {
        view.precision[latent_dimension] = options.private_precision;  // as the chain believes
      }
      chain.go_on_from(state);
      chain.sweep();
      state = chain.state();
      world.draw_data(stream, state);
    }
    for (const auto& [name, value] : world.features(state)) {
      differences[name].push_back(value - before.at(name));
    }
  }
  std::pair<double, std::string> worst{1, ""};
  for (const auto& [name, values] : differences) {
    worst = std::min(worst, {mean_p(values, 0), name});
  }
  return worst;
}

// Of 27 features: a right sampler is blamed once in 37,000 seeds.
TEST(Bm2smvlGeweke, StaysInThePosterior) {
  const auto [p, feature] = worst_after_sweeps(mild_priors(), loss);
  EXPECT_GT(p, error_rate) << feature;
}

/// A chain that believes something slightly wrong about one variable must be caught.
TEST(Bm2smvlGeweke, CatchesWhatIsWrong) {
  if (sanitized) GTEST_SKIP() << "takes more replicates than a sanitizer has time for";
  const std::map<std::string, std::function<void(Bm2smvlOptions&)>> errors = {
      {"r", [](auto& options) { options.relevance.shape += 0.5; }},
      {"tau", [](auto& options) { options.noise.shape += 0.5; }},
      {"v and eta", [](auto& options) { options.weight_precision.rate *= 1.25; }},
      {"mu", [](auto& options) { options.mean_precision *= 1.25; }},
      {"V", [](auto& options) { options.private_precision *= 1.25; }},
  };
  for (const auto& [name, plant] : errors) {
    Bm2smvlOptions wrong = mild_priors();
    plant(wrong);
    EXPECT_LT(worst_after_sweeps(wrong, loss).first, error_rate) << name;
  }
  EXPECT_LT(worst_after_sweeps(mild_priors(), 1.25 * loss).first, error_rate);
}

}  // namespace
}  // namespace m3lak
