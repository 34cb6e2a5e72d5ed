#include "model/frequencies.h"

#include <gtest/gtest.h>

#include "model/grid_law.h"
#include "model/plain_features.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

// One frequency in one dimension, five labelled instances and one without a label.
struct OneFrequency {
  Matrix H = (Matrix(1, 6) << -1.5, -0.4, 0.3, 0.9, 2.1, 5).finished();
  Matrix y = (Matrix(1, 6) << 1, -1, -1, 1, -1, 0).finished();
  Matrix inverse_lambda = (Matrix(1, 6) << 0.5, 1.5, 0.7, 2, 0.3, 0).finished();
  Matrix linear = (Matrix(1, 6) << 0.4, -0.6, 0.9, 0, -1.1, 2).finished();
  Vector beta = (Vector(3) << 1.5, -1.2, 0.3).finished();
  double mean = 0.4, deviation = 1.3, C = 0.8;
  bool integrated = true;

  double log_density(double omega) const {
    const double away = (omega - mean) / deviation;
    double sum = -0.5 * away * away;
    for (Index n = 0; n < 5; ++n) {
      const double f =
          beta[0] * std::cos(omega * H(n)) + beta[1] * std::sin(omega * H(n)) + beta[2] + linear(n);
      const double zeta = 1 - y(n) * f, lambda = 1 / inverse_lambda(n);
      sum -= integrated ? 2 * C * std::max(0.0, zeta)
                        : (lambda + C * zeta) * (lambda + C * zeta) / (2 * lambda);
    }
    return sum;
  }
};

double frequency_p(const OneFrequency& truth, const OneFrequency& believed, Hmc hmc, Sweep sweep,
                   std::uint32_t replicates = 1500) {
  Problem problem;
  problem.blocks = {6, 4};
  problem.total = 6;
  problem.y = believed.y;
  State state;
  state.H = believed.H;
  state.inverse_lambda = believed.inverse_lambda;
  state.linear = believed.linear;
  state.beta = believed.beta;
  state.mixture.components = {
      {0, Vector::Constant(1, believed.mean), Matrix::Constant(1, 1, believed.deviation)}};
  state.mixture.of = {0};
  Workers workers(1);
  const auto move =
      frequency_moves(workers, problem, {believed.C, believed.integrated}, sweep, Precision::full);
  const GridLaw law([&](double at) { return truth.log_density(at); }, -12, 12);
  std::vector<double> draws;
  Stream start({.seed = 99});
  for (std::uint32_t replicate = 0; replicate < replicates; ++replicate) {
    state.omega = Matrix::Constant(1, 1, law.quantile(start.uniform()));
    for (std::uint64_t i = 0; i < 40; ++i) {
      (*move)({1, replicate, i}, {hmc, 0.4, 3}, state);
    }
    draws.push_back(state.omega(0));
  }
  return kolmogorov_p(draws, law);
}

TEST(Frequencies, MovesFollowTheConditional) {
  for (const Hmc hmc : {Hmc::preconditioned, Hmc::plain}) {
    for (const Sweep sweep : {Sweep::one_by_one, Sweep::together}) {
      for (const bool integrated : {true, false}) {
        OneFrequency target;
        target.integrated = integrated;
        EXPECT_GT(frequency_p(target, target, hmc, sweep, sanitized ? 200 : 1500), error_rate);
      }
    }
  }
}

TEST(Frequencies, PlantedErrorsAreCaught) {
  const OneFrequency truth;
  OneFrequency wrong = truth;
  wrong.C *= 1.5;
  EXPECT_LT(frequency_p(truth, wrong, Hmc::preconditioned, Sweep::one_by_one), error_rate);
  for (const Sweep sweep : {Sweep::one_by_one, Sweep::together}) {
    wrong = truth;
    wrong.linear.setZero();
    EXPECT_LT(frequency_p(truth, wrong, Hmc::preconditioned, sweep), error_rate);
  }
  wrong = truth;
  wrong.deviation *= 1.6;
  EXPECT_LT(frequency_p(truth, wrong, Hmc::plain, Sweep::together), error_rate);
}

TEST(Frequencies, ASweepOneByOneKeepsTheLossUpToDate) {
  Problem problem;
  problem.blocks = {50, 16};
  problem.total = 50;
  problem.y = Matrix::Random(2, 50).cwiseSign();
  State state;
  state.H = Matrix::Random(3, 50);
  state.inverse_lambda = Matrix::Ones(2, 50);
  state.linear = Matrix::Random(2, 50);
  state.beta = Matrix::Random(13, 2);
  state.omega = Matrix::Random(3, 6);
  state.mixture.components = {{0, Vector::Zero(3), Matrix::Identity(3, 3)}};
  state.mixture.of.assign(6, 0);
  Workers workers(2);
  for (const Sweep sweep : {Sweep::one_by_one, Sweep::together}) {
    const auto move = frequency_moves(workers, problem, {1, true}, sweep, Precision::full);
    for (std::uint64_t i = 0; i < 10; ++i) {
      const FrequencySweep swept = (*move)({1, 0, i}, {Hmc::preconditioned, 0.3, 2}, state);
      const Matrix f = plain_scores(state.omega, state.beta, state.H) + state.linear;
      EXPECT_NEAR(swept.loss, plain_loss(problem.y, f), 1e-9);
      EXPECT_GT(swept.acceptance.sum, 0);
    }
  }
}

}  // namespace
}  // namespace m3lak
