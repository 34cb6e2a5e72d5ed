#include "model/linear.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "model/augmentation.h"
#include "model/grid_law.h"
#include "model/plain_features.h"
#include "numeric/matrix_distributions.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

// As for β: (λ, γ) is compared with its joint law given the other part of the score. One frequency
// that is 0 leaves that part β_1 + β_3; one coordinate makes γ one number.
double linear_p(double C, double variance, double beta) {
  Problem problem;
  problem.blocks = {5, 2};
  problem.total = 5;
  problem.y = (Matrix(1, 5) << 1, 1, -1, 1, 0).finished();
  problem.coordinates = (DenseMatrix(5, 1) << 1, -0.7, -0.4, 0.6, 5).finished();
  Options options;
  options.C = C;
  options.linear_variance = variance;
  State state;
  state.H = Matrix::Ones(1, 5);
  state.omega = Matrix::Zero(1, 1);
  state.beta = (Matrix(3, 1) << beta, 9, 0.1).finished();
  state.inverse_lambda = Matrix::Zero(1, 5);
  state.weight_precision = 0.4;
  Workers workers(1);
  const auto draw = linear_draws(workers, problem, options);
  std::vector<double> draws;
  for (std::uint32_t replicate = 0; replicate < 3000; ++replicate) {
    state.gamma = Matrix::Zero(1, 1);
    state.linear = Matrix::Zero(1, 5);
    for (std::uint64_t i = 0; i < 25; ++i) (*draw)({3, replicate, i}, state);
    draws.push_back(state.gamma(0));
  }
  const GridLaw law(
      [&](double gamma) {
        double sum = -0.5 * 0.4 / 1.5 * gamma * gamma;
        for (Index n = 0; n < 4; ++n) {
          const double f = 0.5 + 0.1 + gamma * problem.coordinates(n);
          sum -= 2 * 0.7 * std::max(0.0, 1 - problem.y(n) * f);
        }
        return sum;
      },
      -20, 20);
  return kolmogorov_p(draws, law);
}

TEST(Linear, FollowsItsConditional) { EXPECT_GT(linear_p(0.7, 1.5, 0.5), error_rate); }

TEST(Linear, PlantedErrorsAreCaught) {
  EXPECT_LT(linear_p(1.2, 1.5, 0.5), error_rate);
  EXPECT_LT(linear_p(0.7, 2.2, 0.5), error_rate);
  EXPECT_LT(linear_p(0.7, 1.5, 0.9), error_rate);
}

struct Wide {
  Problem problem;
  State state;
  Options options;

  explicit Wide(Index coordinates) {
    problem.blocks = {40, 16};
    problem.total = 40;
    problem.y = Matrix::Random(2, 40).cwiseSign();
    problem.y.col(3).setZero();
    problem.coordinates = DenseMatrix::Random(40, coordinates);
    state.H = Matrix::Random(2, 40);
    state.omega = Matrix::Random(2, 3);
    state.beta = Matrix::Random(7, 2);
    state.inverse_lambda = Matrix::Zero(2, 40);
    state.gamma = Matrix::Zero(coordinates, 2);
    state.linear = Matrix::Zero(2, 40);
    state.weight_precision = 0.3;
    options.C = 1.4;
    options.linear_variance = 2;
  }
};

TEST(Linear, HasTheGaussianOfTheFormulaGivenLambda) {
  // λ is whatever was drawn; given it, γ of one group is Gaussian: standardised, it is N(0, I).
  Wide world(5);
  State& state = world.state;
  const DenseMatrix& z = world.problem.coordinates;
  const Matrix others = plain_scores(state.omega, state.beta, state.H);
  Workers workers(2);
  const auto draw = linear_draws(workers, world.problem, world.options);
  std::vector<double> standardised, off;
  for (std::uint64_t i = 0; i < 500; ++i) {
    (*draw)({4, 0, i}, state);
    EXPECT_TRUE(state.linear.isApprox((z * state.gamma).transpose(), 1e-10));
    for (Index c = 0; c < 2; ++c) {
      const Vector x = state.inverse_lambda.row(c), y = world.problem.y.row(c);
      const Vector other = others.row(c);
      const double C = world.options.C;
      const Matrix P =
          0.3 / 2 * Matrix::Identity(5, 5) + C * C * z.transpose() * x.asDiagonal() * z;
      const Vector pull = C * y.array() + C * C * x.array() * (y - other).array();
      const Vector mean = P.inverse() * z.transpose() * pull;
      const Eigen::LLT<Matrix> llt(P);
      const Vector standard = llt.matrixU() * (state.gamma.col(c) - mean);
      standardised.insert(standardised.end(), standard.begin(), standard.end());
      const Vector wrong = llt.matrixU() * (state.gamma.col(c) - 1.3 * mean);
      off.insert(off.end(), wrong.begin(), wrong.end());
    }
  }
  const auto normal_law = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  EXPECT_GT(kolmogorov_p(standardised, normal_law), error_rate);
  EXPECT_LT(kolmogorov_p(off, normal_law), error_rate);
}

TEST(Linear, GroupsOfCoordinatesFollowTheJointLaw) {
  // 90 coordinates are two groups: draws of a combination of all of them are compared with those of
  // a chain that draws all at once, both far from where they started.
  Wide world(90);
  State& state = world.state;
  Workers workers(1);
  const auto draw = linear_draws(workers, world.problem, world.options);
  const Matrix others = plain_scores(state.omega, state.beta, state.H);
  const DenseMatrix& z = world.problem.coordinates;
  const double C = world.options.C;
  const Vector probe = Vector::Random(90);
  std::vector<double> differences, of_squares, planted;
  for (std::uint32_t replicate = 0; replicate < (sanitized ? 50 : 400); ++replicate) {
    state.gamma.setZero();
    state.linear.setZero();
    for (std::uint64_t i = 0; i < 20; ++i) (*draw)({4, replicate, i}, state);
    const double by_groups = probe.dot(state.gamma.col(0));

    Vector gamma = Vector::Zero(90);
    Stream stream({.seed = 8, .chain = replicate});
    for (int i = 0; i < 20; ++i) {
      Vector x(40), pull(40);
      for (Index n = 0; n < 40; ++n) {
        const double y = world.problem.y(0, n), f = others(0, n) + z.row(n).dot(gamma);
        x[n] = draw_inverse_lambda(stream, C, y, f);
        pull[n] = C * y + C * C * x[n] * (y - others(0, n));
      }
      const Matrix P =
          0.3 / 2 * Matrix::Identity(90, 90) + C * C * z.transpose() * x.asDiagonal() * z;
      const Matrix L = P.llt().matrixL();
      gamma = normal_from_precision(stream, L, z.transpose() * pull);
    }
    const double at_once = probe.dot(gamma);
    differences.push_back(by_groups - at_once);
    of_squares.push_back(by_groups * by_groups - at_once * at_once);
    planted.push_back(1.8 * 1.8 * by_groups * by_groups - at_once * at_once);
  }
  EXPECT_GT(mean_p(differences, 0), error_rate);
  EXPECT_GT(mean_p(of_squares, 0), error_rate);
  if (!sanitized) {
    EXPECT_LT(mean_p(planted, 0), error_rate);
  }
}

TEST(Linear, IsTheSameForAnyNumberOfThreads) {
  Wide one(100), two(100);
  two = one;
  Workers alone(1), pair(2);
  (*linear_draws(alone, one.problem, one.options))({1, 0, 0}, one.state);
  (*linear_draws(pair, two.problem, two.options))({1, 0, 0}, two.state);
  EXPECT_EQ(one.state.gamma, two.state.gamma);
  EXPECT_EQ(one.state.linear, two.state.linear);
}

TEST(Linear, MixedPrecisionDrawsAlmostAlike) {
  Wide full(10), mixed(10);
  mixed = full;
  mixed.options.precision = Precision::mixed;
  Workers workers(1);
  (*linear_draws(workers, full.problem, full.options))({1, 0, 0}, full.state);
  (*linear_draws(workers, mixed.problem, mixed.options))({1, 0, 0}, mixed.state);
  EXPECT_TRUE(mixed.state.gamma.isApprox(full.state.gamma, 1e-3));
  EXPECT_NE(mixed.state.gamma, full.state.gamma);
}

TEST(Linear, WithoutCoordinatesNothingHappens) {
  Wide world(0);
  Workers workers(1);
  (*linear_draws(workers, world.problem, world.options))({1, 0, 0}, world.state);
  EXPECT_EQ(world.state.linear, Matrix::Zero(2, 40));
  EXPECT_EQ(world.state.inverse_lambda, Matrix::Zero(2, 40));
}

}  // namespace
}  // namespace m3lak
