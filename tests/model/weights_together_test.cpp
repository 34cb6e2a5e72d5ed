#include "model/weights_together.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "model/grid_law.h"
#include "model/plain_features.h"
#include "numeric/distributions.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

constexpr Move usual{Hmc::preconditioned, 0.4, 10};

/// Five instances, one frequency that is 0 (so that β_1 and β_3 stand for the same feature, and
/// nothing is known of β_2) and one coordinate.
struct Small {
  Problem problem;
  Options options;
  State state;

  Small() {
    problem.blocks = {5, 2};
    problem.total = 5;
    problem.y = (Matrix(1, 5) << 1, 1, -1, 1, 0).finished();
    problem.coordinates = (DenseMatrix(5, 1) << 1, -0.7, -0.4, 0.6, 5).finished();
    options.features = 1;
    options.C = 0.7;
    options.linear_variance = 1.5;
    state.H = Matrix::Ones(1, 5);
    state.omega = Matrix::Zero(1, 1);
    state.weight_precision = 0.4;
    restart();
  }

  void restart() {
    state.beta = Matrix::Zero(3, 1);
    state.gamma = Matrix::Zero(1, 1);
    state.linear = Matrix::Zero(1, 5);
  }

  /// The law of γ, with β_1 + β_3 ~ N(0, 2/v) summed out.
  GridLaw law_of_gamma() const {
    return GridLaw(
        [&](double gamma) {
          double sum = 0;
          for (double u = -15; u <= 15; u += 0.02) {
            double log_density = -0.5 * 0.4 / 2 * u * u;
            for (Index n = 0; n < 4; ++n) {
              const double f = u + gamma * problem.coordinates(n);
              log_density -= 2 * 0.7 * std::max(0.0, 1 - problem.y(n) * f);
            }
            sum += std::exp(log_density);
          }
          return std::log(sum) - 0.5 * 0.4 / 1.5 * gamma * gamma;
        },
        -20, 20, 2000);
  }
};

/// How well γ follows its law after a few moves of a chain that `change` may mislead.
template <class Change>
double gamma_p(const Change& change) {
  Small world;
  const GridLaw law = world.law_of_gamma();
  change(world);
  Workers workers(1);
  const auto moves = weight_moves(workers, world.problem, world.options);
  moves->aim(world.state);
  std::vector<double> draws;
  for (std::uint32_t replicate = 0; replicate < 3000; ++replicate) {
    world.restart();
    for (std::uint64_t i = 0; i < 25; ++i) (*moves)({3, replicate, i}, usual, world.state);
    draws.push_back(world.state.gamma(0));
  }
  return kolmogorov_p(draws, law);
}

TEST(WeightsTogether, FollowTheirConditional) {
  EXPECT_GT(gamma_p([](Small&) {}), error_rate);
}

TEST(WeightsTogether, FollowItWhereverTheyWereAimed) {
  EXPECT_GT(gamma_p([](Small& world) {
              world.state.beta.setConstant(3);
              world.state.gamma.setConstant(-4);
            }),
            error_rate);
}

TEST(WeightsTogether, PlantedErrorsAreCaught) {
  EXPECT_LT(gamma_p([](Small& world) { world.options.C = 1.2; }), error_rate);
  EXPECT_LT(gamma_p([](Small& world) { world.options.linear_variance = 2.2; }), error_rate);
  EXPECT_LT(gamma_p([](Small& world) { world.state.weight_precision = 0.6; }), error_rate);
  EXPECT_LT(gamma_p([](Small& world) { world.problem.y(4) = 1; }), error_rate);
}

struct Wide {
  Problem problem;
  Options options;
  State state;

  Wide() {
    std::srand(1);  // the same world, whichever tests were run before
    problem.blocks = {700, 256};
    problem.total = 700;
    problem.y = Matrix::Random(2, 700).cwiseSign();
    problem.y.col(3).setZero();
    problem.coordinates = DenseMatrix::Random(700, 90);
    options.features = 3;
    state.H = Matrix::Random(2, 700);
    state.omega = Matrix::Random(2, 3);
    state.beta = Matrix::Random(7, 2);
    state.gamma = Matrix::Random(90, 2);
    state.linear = (problem.coordinates * state.gamma).transpose();
    state.weight_precision = 0.3;
  }

  double energy(Index c) const {
    const Matrix f = plain_scores(state.omega, state.beta, state.H) + state.linear;
    double sum = 0.5 * 0.3 *
                 (state.beta.col(c).squaredNorm() +
                  state.gamma.col(c).squaredNorm() / options.linear_variance);
    for (Index n = 0; n < 700; ++n) {
      const double y = problem.y(c, n);
      if (y != 0) sum += 2 * options.C * std::max(0.0, 1 - y * f(c, n));
    }
    return sum;
  }
};

TEST(WeightsTogether, KeepLinearScoresWithTheirWeights) {
  Wide world;
  Workers workers(2);
  const auto moves = weight_moves(workers, world.problem, world.options);
  for (std::uint64_t i = 0; i < 20; ++i) {
    (*moves)({1, 0, i}, {Hmc::preconditioned, 0.02, 5}, world.state);
    const Matrix expected = (world.problem.coordinates * world.state.gamma).transpose();
    EXPECT_TRUE(world.state.linear.isApprox(expected, 1e-12));
  }
}

TEST(WeightsTogether, MoveWithoutCoordinatesToo) {
  Wide world;
  world.problem.coordinates.resize(0, 0);
  world.state.gamma = Matrix::Zero(0, 2);
  world.state.linear.setZero();
  const Matrix before = world.state.beta;
  Workers workers(2);
  const auto moves = weight_moves(workers, world.problem, world.options);
  moves->aim(world.state);
  for (std::uint64_t i = 0; i < 5; ++i) {
    (*moves)({1, 0, i}, {Hmc::preconditioned, 0.02, 5}, world.state);
  }
  EXPECT_NE(world.state.beta, before);
  EXPECT_EQ(world.state.linear, Matrix::Zero(2, 700));
}

TEST(WeightsTogether, GradientIsThatOfTheEnergy) {
  // A wrong gradient would not be wrong, but slow: moves would be refused. One leapfrog step of
  // known momenta takes weights to w + εp/√P - ½ε²g/P, with P the precision of the prior, which is
  // the metric before anything was aimed at; so g can be told from where they went.
  Wide world;
  world.options.weight_precision = world.state.weight_precision;
  const State before = world.state;
  Workers workers(1);
  const auto moves = weight_moves(workers, world.problem, world.options);
  const Iteration iteration{1, 0, 0};
  const Acceptance accepted = (*moves)(iteration, {Hmc::preconditioned, 1e-3, 1}, world.state);
  ASSERT_GT(accepted.mean(), 0.99);
  for (Index c = 0; c < 2; ++c) {
    Stream stream = iteration.stream(Step::weights_together, c);
    Vector p(97);
    fill_normal(stream, {p.data(), 97});
    const double step = 1e-3 * (0.75 + 0.5 * stream.uniform());
    for (Index i = 0; i < 97; ++i) {
      const double P = 0.3 / (i < 7 ? 1 : world.options.linear_variance);
      const auto weight = [&](State& state) -> double& {
        return i < 7 ? state.beta(i, c) : state.gamma(i - 7, c);
      };
      State start = before;
      const double went = weight(world.state) - weight(start);
      const double gradient = (step * p[i] / std::sqrt(P) - went) * 2 * P / (step * step);

      constexpr double shift = 1e-6;
      double energies[2];
      for (const int side : {0, 1}) {
        Wide moved = world;
        moved.state = before;
        weight(moved.state) += side == 0 ? -shift : shift;
        moved.state.linear = (moved.problem.coordinates * moved.state.gamma).transpose();
        energies[side] = moved.energy(c);
      }
      const double slope = (energies[1] - energies[0]) / (2 * shift);
      EXPECT_NEAR(gradient, slope, 1e-4 * (1 + std::abs(slope))) << c << " " << i;
    }
  }
}

TEST(WeightsTogether, AreTheSameForAnyNumberOfThreads) {
  Wide one, two;
  two = one;
  Workers alone(1), pair(2);
  for (auto [workers, world] : {std::pair{&alone, &one}, std::pair{&pair, &two}}) {
    const auto moves = weight_moves(*workers, world->problem, world->options);
    moves->aim(world->state);
    for (std::uint64_t i = 0; i < 5; ++i) (*moves)({1, 0, i}, usual, world->state);
  }
  EXPECT_EQ(one.state.beta, two.state.beta);
  EXPECT_EQ(one.state.gamma, two.state.gamma);
  EXPECT_EQ(one.state.linear, two.state.linear);
}

TEST(WeightsTogether, MixedPrecisionMovesAlmostAlike) {
  Wide full, mixed;
  mixed = full;
  mixed.options.precision = Precision::mixed;
  const Matrix start = full.state.gamma;
  Workers workers(1);
  for (Wide* world : {&full, &mixed}) {
    const auto moves = weight_moves(workers, world->problem, world->options);
    (*moves)({1, 0, 0}, {Hmc::preconditioned, 0.001, 20}, world->state);
  }
  EXPECT_GT((full.state.gamma - start).norm(), 1e-3);
  EXPECT_LT((full.state.gamma - mixed.state.gamma).norm(),
            0.01 * (full.state.gamma - start).norm());
  EXPECT_NE(mixed.state.beta, full.state.beta);  // of features in float
}

TEST(WeightsTogether, MemoryIsWhatFeaturesAndMetricTake) {
  const Wide world;
  EXPECT_EQ(weight_moves_memory(world.problem, world.options), 12 * 97 * 700 + 12 * 97 * 97 * 2);
}

}  // namespace
}  // namespace m3lak
