#include "model/weights.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "model/grid_law.h"
#include "model/plain_features.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

// β alone is not stationary under a draw of weights, which draws λ first: so both are compared with
// the joint law of (λ, β) given H, ω and γ·z, whose β has the density N(β | 0, 1/v) Π exp(-2C
// max(0, ζ)). One frequency that is 0 leaves φ~ = (1, 0, 1): the score is β_1 + β_3, one number, +
// γ·z.
struct Constant {
  Problem problem;
  State state;
  Options options;

  Constant() {
    problem.blocks = {5, 2};
    problem.total = 5;
    problem.y = (Matrix(1, 5) << 1, 1, -1, 1, 0).finished();
    options.features = 1;
    options.C = 0.7;
    state.H = Matrix::Ones(1, 5);
    state.omega = Matrix::Zero(1, 1);
    state.beta = Matrix::Zero(3, 1);
    state.inverse_lambda = Matrix::Zero(1, 5);
    state.linear = (Matrix(1, 5) << 0.2, -0.4, -0.3, 0.3, 3).finished();
    state.weight_precision = 0.4;
  }
};

double weights_p(double C, double v, double linear = 1) {
  Constant truth, believed;
  believed.options.C = C;
  believed.state.weight_precision = v;
  believed.state.linear *= linear;
  Workers workers(1);
  const auto draw = weight_draws(workers, believed.problem, believed.options);
  std::vector<double> scores;
  for (std::uint32_t replicate = 0; replicate < 3000; ++replicate) {
    believed.state.beta.setZero();
    for (std::uint64_t i = 0; i < 25; ++i) {
      (*draw)({3, replicate, i}, believed.state);
    }
    scores.push_back(believed.state.beta(0) + believed.state.beta(2));
  }
  const GridLaw law(
      [&](double f) {
        double sum = -0.5 * truth.state.weight_precision / 2 * f * f;  // of variance 2/v
        for (Index n = 0; n < 4; ++n) {
          sum -= 2 * truth.options.C *
                 std::max(0.0, 1 - truth.problem.y(n) * (f + truth.state.linear(n)));
        }
        return sum;
      },
      -15, 15);
  return kolmogorov_p(scores, law);
}

TEST(Weights, FollowTheirConditional) { EXPECT_GT(weights_p(0.7, 0.4), error_rate); }

TEST(Weights, PlantedErrorsAreCaught) {
  EXPECT_LT(weights_p(0.9, 0.4), error_rate);
  EXPECT_LT(weights_p(0.7, 0.7), error_rate);
  EXPECT_LT(weights_p(0.7, 0.4, -3), error_rate);
}

TEST(Weights, HaveTheGaussianOfTheFormulaGivenLambda) {
  // λ is whatever was drawn; given it, β is Gaussian: standardised, it must be N(0, I).
  Problem problem;
  problem.blocks = {40, 16};
  problem.total = 40;
  problem.y = Matrix::Random(2, 40).cwiseSign();
  State state;
  state.H = Matrix::Random(2, 40);
  state.omega = Matrix::Random(2, 3);
  state.beta = Matrix::Random(7, 2);
  state.inverse_lambda = Matrix::Zero(2, 40);
  state.linear = Matrix::Random(2, 40);
  state.weight_precision = 0.3;
  Options options;
  options.C = 1.4;
  const Matrix phi = plain_features(state.omega, state.H);
  Workers workers(2);
  const auto draw = weight_draws(workers, problem, options);
  std::vector<double> standardised, off;
  for (std::uint64_t i = 0; i < 500; ++i) {
    (*draw)({4, 0, i}, state);
    for (Index c = 0; c < 2; ++c) {
      const Vector x = state.inverse_lambda.row(c), y = problem.y.row(c);
      const Vector linear = state.linear.row(c);
      const double C = options.C;
      const Matrix P =
          0.3 * Matrix::Identity(7, 7) + C * C * phi * x.asDiagonal() * phi.transpose();
      const Vector pull = C * y.array() + C * C * x.array() * (y - linear).array();
      const Vector mean = P.inverse() * phi * pull;
      const Eigen::LLT<Matrix> llt(P);
      const Vector z = llt.matrixU() * (state.beta.col(c) - mean);
      standardised.insert(standardised.end(), z.begin(), z.end());
      const Vector wrong = llt.matrixU() * (state.beta.col(c) - 1.3 * mean);
      off.insert(off.end(), wrong.begin(), wrong.end());
    }
  }
  const auto normal_law = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  EXPECT_GT(kolmogorov_p(standardised, normal_law), error_rate);
  EXPECT_LT(kolmogorov_p(off, normal_law), error_rate);
}

TEST(Weights, ManyClassesAreDrawnAsFewAre) {
  // 60 classes of 301 weights do not fit into one group of sums.
  Problem problem;
  problem.blocks = {30, 16};
  problem.total = 30;
  problem.y = Matrix::Random(60, 30).cwiseSign();
  State state;
  state.H = Matrix::Random(2, 30);
  state.omega = Matrix::Random(2, 150);
  state.inverse_lambda = Matrix::Zero(60, 30);
  state.linear = Matrix::Zero(60, 30);
  state.beta = Matrix::Random(301, 60);
  state.weight_precision = 1;
  State first = state;
  first.beta = state.beta.leftCols(1);
  first.inverse_lambda = state.inverse_lambda.topRows(1);
  first.linear = state.linear.topRows(1);
  Problem alone = problem;
  alone.y = problem.y.topRows(1);
  Workers workers(1);
  Options options;
  (*weight_draws(workers, problem, options))({1, 0, 0}, state);
  (*weight_draws(workers, alone, options))({1, 0, 0}, first);
  EXPECT_EQ(state.beta.col(0), first.beta.col(0));
  EXPECT_TRUE(state.beta.allFinite());
}

}  // namespace
}  // namespace m3lak
