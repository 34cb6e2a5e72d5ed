#include "rivals/bm2smvl/bm2smvl.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "m3lak/error.h"
#include "m3lak/simulate.h"
#include "numeric/distributions.h"
#include "rivals/bm2smvl/gibbs.h"
#include "rivals/bm2smvl/problem.h"
#include "rivals/bm2smvl/start.h"
#include "rivals/bm2smvl/statistics.h"
#include "rivals/bm2smvl/variational.h"
#include "rivals/examples.h"
#include "rivals/standard_views.h"

namespace m3lak {
namespace {

using namespace bm2smvl_parts;
using Engine = Bm2smvlOptions::Engine;

Dataset simulated(Index instances, double gaps = 0) {
  SimulationOptions options;
  options.instances = instances;
  options.views = {6, 9, 4};
  options.latent = 3;
  options.noise = 0.5;
  options.missing_views = gaps;
  options.missing_cells = gaps;
  return simulate(options);
}

Problem problem_of(const Dataset& data) {
  return make_problem(StandardViews(data)(data), signs(data));
}

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Stream stream({.seed = seed});
  Matrix x(rows, columns);
  fill_normal(stream, {x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

struct Parts {
  Dataset training, test;
};

/// Every third instance is held out.
Parts split(const Dataset& data) {
  std::vector<Index> training, test;
  for (Index n = 0; n < data.instances(); ++n) (n % 3 == 0 ? test : training).push_back(n);
  return {data.select(training), data.select(test)};
}

Vector trained_scores(const Dataset& training, const Vector& y, const Dataset& test,
                      const Bm2smvlOptions& options, int threads = 1) {
  Workers workers(threads);
  const std::array<std::size_t, 1> first = {0};
  return bm2smvl(options)->train(training, y, first, workers, {})[0]->scores(test, workers);
}

double accuracy(const Vector& scores, const Vector& y) {
  return static_cast<double>((scores.array() * y.array() > 0).count()) /
         static_cast<double>(y.size());
}

double correlation(const Vector& a, const Vector& b) {
  const Vector x = a.array() - a.mean(), y = b.array() - b.mean();
  return x.dot(y) / (x.norm() * y.norm());
}

Bm2smvlOptions few_draws(std::uint64_t seed = 1) {
  return {.engine = Engine::gibbs, .latent = 6, .C = 1, .sweeps = 400, .kept = 300, .seed = seed};
}

// The model

TEST(Bm2smvlModel, MarginLossIsAMixtureOfGaussians) {
  // The log likelihood given λ, with the curvature and the pull that the sums over one instance
  // have; λ = exp(t), by the trapezoidal rule.
  for (const double C : {0.5, 1.0, 3.0}) {
    for (const double score : {-2.0, 0.3, 0.99, 1.7}) {
      double integral = 0;
      constexpr double step = 0.01;
      for (double t = -40; t < 8; t += step) {
        const double lambda = std::exp(t), kappa = C * C / lambda;
        LabelSums sums = LabelSums::zero(1);
        sums.add(DenseMatrix::Constant(1, 1, score), Vector::Ones(1), Vector::Constant(1, kappa),
                 C);
        const double exponent = -sums.curvature(0, 0) / 2 + sums.pull[0] - kappa / 2 - C;
        integral +=
            step * std::sqrt(lambda / (2 * std::numbers::pi)) * std::exp(exponent - lambda / 2);
      }
      EXPECT_NEAR(integral, std::exp(-2 * C * std::max(0.0, 1 - score)), 1e-6);
    }
  }
}

TEST(Bm2smvlModel, InverseGaussianHasItsMoments) {
  constexpr int count = 200000;
  for (const double mean : {0.3, 1.5}) {
    Stream stream({.seed = 3});
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double x = inverse_gaussian(stream, 1 / mean, 1);
      sum += x;
      squares += (x - mean) * (x - mean);
    }
    const double variance = mean * mean * mean;
    EXPECT_NEAR(sum / count, mean, 5 * std::sqrt(variance / count));
    EXPECT_NEAR(squares / count / variance, 1, 0.1);
  }
}

TEST(Bm2smvlModel, LatentConditionalIsThatOfTheJointDensity) {
  constexpr Index m = 5, D = 7;
  const double tau = 1.7, kappa = 2.3, C = 1.5, y = -1, b = 0.4;
  const Matrix W = random_matrix(D, m, 1);
  const Vector x = random_matrix(D, 1, 2), mu = random_matrix(D, 1, 3), w = random_matrix(m, 1, 4);
  const LatentConditional conditional(Matrix::Identity(m, m) + tau * W.transpose() * W, w);
  const Vector p = tau * W.transpose() * (x - mu) + ((kappa + C) * y - kappa * b) * w;

  // One row without noise has the mean; the others differ from it by the columns of a root of the
  // covariance.
  const Vector white = conditional.M.triangularView<Eigen::Lower>().solve(p);
  DenseMatrix rows = white.transpose().replicate(m + 1, 1);
  DenseMatrix noise = DenseMatrix::Zero(m + 1, m);
  noise.bottomRows(m).setIdentity();
  conditional.draw(Vector::Constant(m + 1, kappa), noise, rows);
  const Vector mean = rows.row(0).transpose();
  const Matrix root = (rows.bottomRows(m).rowwise() - rows.row(0)).transpose();
  const Matrix precision = (root * root.transpose()).inverse();

  const auto log_joint = [&](const Vector& h) {
    const double s = w.dot(h) + b;
    return -h.squaredNorm() / 2 - tau * (x - mu - W * h).squaredNorm() / 2 - kappa * s * s / 2 +
           (kappa + C) * y * s;
  };
  const auto log_normal = [&](const Vector& h) {
    return -(h - mean).dot(precision * (h - mean)) / 2;
  };
  const Vector h = random_matrix(m, 1, 5), other = random_matrix(m, 1, 6);
  const double difference = log_joint(h) - log_joint(other);
  EXPECT_NEAR(log_normal(h) - log_normal(other), difference, 1e-10 * std::abs(difference));
}

TEST(Bm2smvlModel, PrivateFactorsAreNoiseToTheRule) {
  const Matrix W = random_matrix(9, 4, 1), V = random_matrix(9, 2, 2);
  const Matrix noise = V * V.transpose() + Matrix::Identity(9, 9) / 3;
  EXPECT_TRUE(weighed_loadings(W, V, 3).isApprox(noise.inverse() * W, 1e-12));
  EXPECT_TRUE(weighed_loadings(W, Matrix(9, 0), 3).isApprox(3 * W, 1e-15));
}

TEST(Bm2smvlModel, WithFixedLatentsItIsTheSupportVectorMachine) {
  // λ and η in turn, without variances, minimise ½v‖η‖² + 2C Σ max(0, 1 - ys). The pulls
  // α = (C + κ(1 - ys))/2C are feasible for the dual, so that the gap of both proves it.
  constexpr Index N = 60, m = 4;
  constexpr double C = 1.5, v = 0.7;
  const DenseMatrix H = random_matrix(N, m, 1);
  const Vector noise = random_matrix(N, 1, 2);
  const Vector y =
      (H.col(0) - H.col(1) + noise).unaryExpr([](double x) { return x > 0 ? 1. : -1.; });
  Vector eta = Vector::Zero(m + 1), kappa(N), gap(N);
  for (int round = 0; round < 3000; ++round) {
    gap = 1 - y.array() * ((H * eta.head(m)).array() + eta[m]);
    for (Index n = 0; n < N; ++n) {
      kappa[n] = expected_curvature(C, std::max(gap[n] * gap[n], 1e-24));
    }
    LabelSums sums = LabelSums::zero(m);
    sums.add(H, y, kappa, C);
    eta = sums.precision(v).llt().solve(sums.pull);
  }
  gap = 1 - y.array() * ((H * eta.head(m)).array() + eta[m]);
  const double primal = v * eta.squaredNorm() / 2 + 2 * C * gap.cwiseMax(0).sum();
  const Vector alpha = ((C + kappa.array() * gap.array()) / (2 * C)).cwiseMax(0).cwiseMin(1);
  Vector support(m + 1);
  support.head(m) = H.transpose() * alpha.cwiseProduct(y);
  support[m] = alpha.dot(y);
  const double dual = 2 * C * alpha.sum() - 2 * C * C * support.squaredNorm() / v;
  EXPECT_GT(primal, 1);
  EXPECT_NEAR(primal, dual, 1e-6 * primal);
  EXPECT_LE(dual, primal + 1e-9);
}

// The start

TEST(Bm2smvlStart, IsTheLeadingPartOfTheSingularValueDecomposition) {
  // Narrow, wide, and so large that directions are found at random.
  for (const auto& [N, D] : {std::pair<Index, Index>{80, 30}, {30, 80}, {400, 300}, {300, 400}}) {
    Workers workers(1);
    const Matrix low = random_matrix(N, 3, 1) * random_matrix(D, 3, 2).transpose();
    const DenseMatrix X = low + 0.1 * random_matrix(N, D, 3);
    const Problem problem = make_problem({X.leftCols(10), X.rightCols(D - 10)}, Vector::Ones(N));
    const DenseMatrix H = start_latents(workers, problem, 3, 1);
    DenseMatrix scaled = X;
    scaled.leftCols(10) /= std::sqrt(10.0);
    scaled.rightCols(D - 10) /= std::sqrt(static_cast<double>(D - 10));
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(scaled * scaled.transpose());
    const Matrix U = solver.eigenvectors().rightCols(3).rowwise().reverse();
    const Matrix products = U.transpose() * H / std::sqrt(static_cast<double>(N));
    EXPECT_TRUE(products.cwiseAbs().isApprox(Matrix::Identity(3, 3), 1e-6)) << N << " by " << D;
  }
}

TEST(Bm2smvlStart, BeyondTheRankThereIsWeakNoise) {
  Workers workers(1);
  const DenseMatrix X = random_matrix(50, 1, 1) * Matrix::Ones(1, 4);
  const DenseMatrix H = start_latents(workers, make_problem({X}, Vector::Ones(50)), 3, 1);
  EXPECT_NEAR(H.col(0).squaredNorm(), 50, 1e-9);
  for (const Index j : {1, 2}) {
    EXPECT_GT(H.col(j).norm(), 0.01 * std::sqrt(50) / 2);
    EXPECT_LT(H.col(j).norm(), 0.01 * std::sqrt(50) * 2);
  }
}

// The variational engine

TEST(Bm2smvlVariational, BoundNeverDecreases) {
  Workers workers(1);
  for (const double gaps : {0.0, 0.1}) {
    const Problem problem = problem_of(simulated(150, gaps));
    for (const double C : {0.1, 1.0, 3.0}) {
      for (const Index m : {2, 20}) {
        Variational posterior(workers, problem, {}, C, start_latents(workers, problem, m, 1));
        posterior.sweep();
        const double first = posterior.bound();
        double before = first;
        for (int sweep = 0; sweep < 40; ++sweep) {
          posterior.sweep();
          const double bound = posterior.bound();
          EXPECT_GE(bound, before - 1e-10 * std::abs(before)) << "C " << C << ", m " << m;
          before = bound;
        }
        EXPECT_GT(before, first + 1);
      }
    }
  }
}

TEST(Bm2smvlVariational, OrderOfViewsDoesNotMatter) {
  const auto [training, test] = split(simulated(150));
  const auto turned = [](Dataset data) {
    std::rotate(data.views.begin(), data.views.begin() + 1, data.views.end());
    return data;
  };
  const Bm2smvlOptions options{.C = 2, .sweeps = 20, .tolerance = 0};
  const Vector y = signs(training);
  const Vector scores = trained_scores(training, y, test, options);
  EXPECT_TRUE(scores.isApprox(trained_scores(turned(training), y, turned(test), options), 1e-8));
}

TEST(Bm2smvlVariational, OtherLabelsNegateTheScores) {
  const auto [training, test] = split(simulated(150));
  const Vector y = signs(training);
  const Vector scores = trained_scores(training, y, test, {.C = 2});
  EXPECT_GT(scores.cwiseAbs().maxCoeff(), 0.1);
  EXPECT_EQ(scores, -trained_scores(training, -y, test, {.C = 2}));
}

TEST(Bm2smvlVariational, WithoutLossLabelsDoNotMatter) {
  Workers workers(1);
  Problem problem = problem_of(simulated(120));
  const DenseMatrix start = start_latents(workers, problem, 4, 1);
  const auto fitted = [&](double C) {
    auto posterior = std::make_unique<Variational>(workers, problem, Bm2smvlOptions{}, C, start);
    for (int sweep = 0; sweep < 30; ++sweep) posterior->sweep();
    return posterior;
  };
  const auto without = fitted(1e-8), with = fitted(1);
  EXPECT_LT(without->weights().norm(), 1e-4);
  EXPECT_GT(with->weights().norm(), 0.1);
  problem.y.reverseInPlace();
  EXPECT_TRUE(without->latents().isApprox(fitted(1e-8)->latents(), 1e-6));
  EXPECT_FALSE(with->latents().isApprox(fitted(1)->latents(), 1e-3));
}

TEST(Bm2smvlVariational, OneViewWithoutLossIsBayesianPca) {
  // Two strong directions of ten: two columns of W span the leading eigenvectors of the covariance,
  // and the others are switched off.
  constexpr Index N = 300, D = 10;
  Workers workers(1);
  Matrix X = 2 * random_matrix(N, 2, 1) * random_matrix(D, 2, 2).transpose() +
             0.3 * random_matrix(N, D, 3);
  X.rowwise() -= X.colwise().mean().eval();
  const Problem problem = make_problem({X}, Vector::Ones(N));
  Variational posterior(workers, problem, {}, 1e-8, start_latents(workers, problem, 6, 1));
  for (int sweep = 0; sweep < 500; ++sweep) posterior.sweep();

  const Matrix W = posterior.loadings();
  const Eigen::SelfAdjointEigenSolver<Matrix> of_data(X.transpose() * X), of_W(W * W.transpose());
  EXPECT_LT(of_W.eigenvalues()[D - 3], 1e-6 * of_W.eigenvalues()[D - 2]);
  const Matrix cosines =
      of_data.eigenvectors().rightCols(2).transpose() * of_W.eigenvectors().rightCols(2);
  EXPECT_NEAR(std::abs(cosines.determinant()), 1, 1e-4);
}

// The sampler

TEST(Bm2smvlGibbs, AgreesWithItselfAndWithTheVariationalEngine) {
  const auto [training, test] = split(simulated(240));
  const Vector y = signs(training);
  const Vector one = trained_scores(training, y, test, few_draws(1));
  const Vector two = trained_scores(training, y, test, few_draws(2));
  EXPECT_NE(one, two);
  EXPECT_GT(correlation(one, two), 0.97);
  EXPECT_GT(correlation(one, trained_scores(training, y, test, {.latent = 6, .C = 1})), 0.95);
}

TEST(Bm2smvlGibbs, FindsTheNoiseBesidesThePrivateFactors) {
  // One shared factor and one of each view: τ is 1/0.3² if the model has room for all three, be it
  // among the shared ones, and much less if not.
  constexpr Index N = 200, D = 12;
  Workers workers(1);
  const Vector h = random_matrix(N, 1, 1);
  const auto view = [&](std::uint64_t seed) -> DenseMatrix {
    return h * random_matrix(D, 1, seed).transpose() +
           random_matrix(N, 1, seed + 1) * random_matrix(D, 1, seed + 2).transpose() +
           0.3 * random_matrix(N, D, seed + 3);
  };
  const Vector y = h.unaryExpr([](double x) { return x > 0 ? 1.0 : -1.0; });
  const Problem problem = make_problem({view(10), view(20)}, y);
  const auto noise = [&](Index shared, Index own) {
    Bm2smvlOptions options{.engine = Engine::gibbs, .private_factors = own};
    options.private_precision = 1;
    Gibbs chain(workers, problem, options, 1, start_latents(workers, problem, shared, 1));
    Vector mean = Vector::Zero(2);
    for (int sweep = 0; sweep < 200; ++sweep) {
      chain.sweep();
      if (sweep >= 100) mean += Vector{{chain.noise(0), chain.noise(1)}} / 100;
    }
    return mean;
  };
  const Vector truth = Vector::Constant(2, 1 / 0.09);
  EXPECT_TRUE(noise(1, 1).isApprox(truth, 0.1));
  EXPECT_TRUE(noise(3, 0).isApprox(truth, 0.1));
  EXPECT_LT(noise(1, 0).maxCoeff(), truth[0] / 2);
}

TEST(Bm2smvlGibbs, TakesPrivateFactors) {
  const auto [training, test] = split(simulated(240));
  Bm2smvlOptions options = few_draws();
  const Vector y = signs(training), without = trained_scores(training, y, test, options);
  options.private_factors = 2;
  options.private_precision = 1;
  const Vector with = trained_scores(training, y, test, options);
  EXPECT_GT(accuracy(with, signs(test)), 0.8);
  EXPECT_GT(correlation(with, without), 0.9);
  EXPECT_NE(with, without);
}

// Both, as rivals

class Bm2smvlRival : public testing::TestWithParam<Engine> {
 protected:
  static Bm2smvlOptions options() {
    if (GetParam() == Engine::variational) return {.C = 1};
    return {.engine = Engine::gibbs, .C = 1, .sweeps = 120, .kept = 60};
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, Bm2smvlRival,
                         testing::Values(Engine::variational, Engine::gibbs));

TEST_P(Bm2smvlRival, Learns) {
  const auto [training, test] = split(simulated(300));
  Bm2smvlOptions chosen = options();
  chosen.C = 0;
  const auto rival = bm2smvl(chosen);
  ASSERT_EQ(rival->settings(), 3U);
  EXPECT_EQ(rival->describe(1), "C = 2");
  Workers workers(1);
  const std::array<std::size_t, 3> all = {0, 1, 2};
  const auto machines = rival->train(training, signs(training), all, workers, {});
  ASSERT_EQ(machines.size(), 3U);
  for (const auto& machine : machines) {
    EXPECT_GT(accuracy(machine->scores(test, workers), signs(test)), 0.85);
  }
  EXPECT_NE(machines[0]->scores(test, workers), machines[2]->scores(test, workers));
  // A setting does not depend on those that it is trained with.
  const auto third = rival->train(training, signs(training), std::span(all).last(1), workers, {});
  EXPECT_EQ(third[0]->scores(test, workers), machines[2]->scores(test, workers));
}

TEST_P(Bm2smvlRival, TakesGaps) {
  const auto [training, test] = split(simulated(300, 0.1));
  const Vector scores = trained_scores(training, signs(training), test, options());
  EXPECT_TRUE(scores.allFinite());
  EXPECT_GT(accuracy(scores, signs(test)), 0.75);
}

TEST_P(Bm2smvlRival, SameForAnyNumberOfWorkers) {
  const auto [training, test] = split(simulated(400));
  const Vector y = signs(training);
  Bm2smvlOptions few = options();
  few.sweeps = 20;
  EXPECT_EQ(trained_scores(training, y, test, few, 1), trained_scores(training, y, test, few, 2));
}

TEST_P(Bm2smvlRival, Stops) {
  const Dataset data = simulated(60);
  int asked = 0;
  Workers workers(1);
  const std::array<std::size_t, 1> first = {0};
  EXPECT_THROW(
      bm2smvl(options())->train(data, signs(data), first, workers, [&] { return ++asked == 4; }),
      Stopped);
  EXPECT_EQ(asked, 4);
}

TEST_P(Bm2smvlRival, ConstantFeaturesDoNoHarm) {
  Dataset data = simulated(300);
  std::get<DenseMatrix>(data.views[0].values).col(2).setConstant(7);
  std::get<DenseMatrix>(data.views[2].values).setConstant(-3);
  const auto [training, test] = split(data);
  const Vector scores = trained_scores(training, signs(training), test, options());
  EXPECT_TRUE(scores.allFinite());
  EXPECT_GT(accuracy(scores, signs(test)), 0.85);
}

TEST_P(Bm2smvlRival, TwoInstancesDoNoHarm) {
  const Dataset data = simulated(40);
  const Vector y = signs(data);
  const Index other = std::find(y.begin(), y.end(), -y[0]) - y.begin();
  const Dataset two = data.select({0, other});
  // Of two, all may well be noise: the variational engine then has no loadings left.
  EXPECT_TRUE(trained_scores(two, signs(two), data, options()).allFinite());
}

TEST_P(Bm2smvlRival, MoreFeaturesThanInstances) {
  SimulationOptions wide;
  wide.instances = 90;
  wide.views = {150, 200};
  wide.latent = 3;
  const auto [training, test] = split(simulate(wide));
  const Vector scores = trained_scores(training, signs(training), test, options());
  EXPECT_GT(accuracy(scores, signs(test)), 0.8);
}

TEST(Bm2smvl, SaysWhatItNeeds) {
  const auto rival = bm2smvl();
  const double bytes = rival->bytes({1000, {30, 70}}, 1);
  EXPECT_GT(bytes, 2 * 8 * 1000 * 100);
  EXPECT_LT(bytes, 40e6);
  EXPECT_EQ(bm2smvl({.C = 0.5})->settings(), 1U);
  EXPECT_EQ(bm2smvl({.C = 0.5})->describe(0), "C = 0.5");
  EXPECT_THROW(bm2smvl({.latent = 0}), BadUsage);
  EXPECT_THROW(bm2smvl({.C = -1}), BadUsage);
  EXPECT_THROW(bm2smvl({.private_factors = 1}), BadUsage);
}

}  // namespace
}  // namespace m3lak
