#include "rivals/mmh/mmh.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "m3lak/error.h"
#include "m3lak/simulate.h"
#include "numeric/distributions.h"
#include "rivals/examples.h"
#include "rivals/mmh/start.h"
#include "rivals/mmh/training.h"
#include "rivals/svm/solver.h"

namespace m3lak {
namespace {

using namespace harmonium;

Workers alone(1);

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Matrix normals(Index rows, Index columns, std::uint64_t seed) {
  Stream stream({.seed = seed});
  Matrix result(rows, columns);
  fill_normal(stream, {result.data(), static_cast<std::size_t>(result.size())});
  return result;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Rows of h for which averages of quadratic functions are those over N(μ(x), I), without noise:
/// each x 2m times, with ±√m in one dimension.
struct Spread {
  DenseMatrix x;
  Matrix mu, h;
};

Spread spread(const DenseMatrix& x, const Matrix& A) {
  const Index N = x.rows(), m = A.cols();
  Spread result{DenseMatrix(2 * m * N, x.cols()), {}, {}};
  for (Index k = 0; k < 2 * m; ++k) result.x.middleRows(k * N, N) = x;
  result.mu = result.h = result.x * A;
  for (Index k = 0; k < 2 * m; ++k) {
    const double by = std::sqrt(static_cast<double>(m)) * (k < m ? 1 : -1);
    result.h.col(k % m).segment(k * N, N).array() += by;
  }
  return result;
}

/// Contrastive divergence with its noise integrated out (exact for Gaussian wings).
Parameters expected_gradient(const Parameters& at, const std::vector<Wing>& wings,
                             const DenseMatrix& x) {
  const Spread all = spread(x, at.A);
  return likelihood_gradient(at, all.x, all.mu, reconstruct(at, wings, all.h));
}

/// Covariance (of rows, divided by their number) with the variances 9, 4, 1.5, 0.8, 0.5, 0.25.
DenseMatrix rows_of_known_covariance() {
  Matrix x = normals(40, 6, 3);
  x.rowwise() -= x.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(x.transpose() * x / 40);
  x = x * solver.operatorInverseSqrt();
  const Vector variances = (Vector(6) << 9, 4, 1.5, 0.8, 0.5, 0.25).finished();
  const Eigen::SelfAdjointEigenSolver<Matrix> turned(normals(6, 6, 4) +
                                                     normals(6, 6, 4).transpose());
  return x * variances.cwiseSqrt().asDiagonal() * turned.eigenvectors().transpose();
}

/// A Aᵀ of greatest likelihood: U diag(1 - 1/e) Uᵀ over the two principal directions.
Matrix best_product(const DenseMatrix& x) {
  const Matrix covariance = x.transpose() * x / static_cast<double>(x.rows());
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(covariance);
  const Matrix U = solver.eigenvectors().rightCols(2);
  const Vector of = 1 - solver.eigenvalues().tail(2).array().inverse();
  return U * of.asDiagonal() * U.transpose();
}

const std::vector<Wing> two_gaussians = {{Kind::gaussian, 0, 4}, {Kind::gaussian, 4, 2}};

TEST(Harmonium, ExpectedDivergenceEndsAtTheClosedForm) {
  const DenseMatrix x = rows_of_known_covariance();
  Parameters now{0.1 * normals(6, 2, 5), Vector::Zero(6)};
  for (int step = 0; step < 2000; ++step) {
    const Parameters gradient = expected_gradient(now, two_gaussians, x);
    now.A += 0.02 * gradient.A;
    now.offsets += 0.02 * gradient.offsets;
  }
  EXPECT_LT((now.A * now.A.transpose() - best_product(x)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(now.offsets.cwiseAbs().maxCoeff(), 1e-12);
}

// With its noise, training for likelihood alone stays near: the sum of squared singular values is
// 1.64; without the noise of h it would be 1.81.
TEST(Harmonium, SampledDivergenceStaysNearTheClosedForm) {
  const DenseMatrix x = rows_of_known_covariance();
  MmhOptions options;
  options.rounds = 500;
  options.rate = 0.01;
  const Parameters start{0.1 * normals(6, 2, 5), Vector::Zero(6)};
  const Matrix A =
      learn(x, Vector::Ones(x.rows()), two_gaussians, start, options, 0, {}).parameters.A;
  EXPECT_NEAR(A.squaredNorm(), best_product(x).trace(), 0.08);
  EXPECT_LT((A * A.transpose() - best_product(x)).cwiseAbs().maxCoeff(), 0.1);
}

TEST(Harmonium, StartsNearTheClosedForm) {
  const DenseMatrix x = rows_of_known_covariance();
  Workers workers(2);
  const Parameters start = principal_start(workers, x, two_gaussians, 2, 1);
  EXPECT_LT((start.A * start.A.transpose() - 0.81 * best_product(x)).cwiseAbs().maxCoeff(), 1e-10);
  // More units than instances: by the other Gram matrix.
  DenseMatrix wide(x.rows(), 60);
  wide << x, DenseMatrix::Zero(x.rows(), 54);
  const Parameters of_wide =
      principal_start(workers, wide, {{Kind::gaussian, 0, 6}, {Kind::bernoulli, 6, 54}}, 5, 1);
  EXPECT_LT((of_wide.A.topLeftCorner(6, 2) * of_wide.A.topLeftCorner(6, 2).transpose() -
             0.81 * best_product(x))
                .cwiseAbs()
                .maxCoeff(),
            1e-10);
  // Three variances are above 1; of the other two columns nothing is known.
  EXPECT_GT(of_wide.A.col(2).norm(), 0.4);
  for (const Index k : {3, 4}) {
    EXPECT_GT(of_wide.A.col(k).norm(), 0.05);
    EXPECT_LT(of_wide.A.col(k).norm(), 0.2);
  }
  EXPECT_NEAR(of_wide.offsets[7], std::log(1.0 / 41), 1e-12);
}

// Within 4 standard errors of 20000 draws.
TEST(Harmonium, IntegratesReconstructionsOut) {
  const std::vector<Wing> wings = {{Kind::gaussian, 0, 2}, {Kind::bernoulli, 2, 3}};
  const Parameters at{0.5 * normals(5, 2, 1), 0.5 * normals(5, 1, 2)};
  const Matrix h = normals(3, 2, 3);
  // Without data, what is left is minus the mean of reconstructions.
  const Parameters integrated = likelihood_gradient(at, DenseMatrix::Zero(3, 5), Matrix::Zero(3, 2),
                                                    reconstruct(at, wings, h));
  constexpr int count = 20000;
  Stream stream({.seed = 4});
  Matrix sum = Matrix::Zero(5, 3), squares = sum;
  for (int draw = 0; draw < count; ++draw) {
    DenseMatrix x = (h * at.A.transpose()).rowwise() + at.offsets.transpose();
    for (Index n = 0; n < 3; ++n) {
      for (Index j = 0; j < 2; ++j) x(n, j) += normal(stream);
      for (Index j = 2; j < 5; ++j) x(n, j) = stream.uniform() < sigmoid(x(n, j)) ? 1 : 0;
    }
    Matrix statistics(5, 3);
    statistics << x.transpose() * (x * at.A) / 3, x.colwise().mean().transpose();
    sum += statistics;
    squares += statistics.cwiseAbs2();
  }
  const Matrix mean = sum / count;
  const Matrix error = ((squares / count - mean.cwiseAbs2()) / count).cwiseSqrt();
  Matrix expected(5, 3);
  expected << -integrated.A, -integrated.offsets;
  EXPECT_LT(((mean - expected).array() / error.array()).abs().maxCoeff(), 4);
}

TEST(Harmonium, HingeGradientIsThatOfTheLoss) {
  const DenseMatrix x = normals(30, 5, 1);
  const Matrix A = normals(5, 2, 2);
  const Vector y = normals(30, 1, 3).cwiseSign();
  const LinearMachine machine{normals(2, 1, 4), 0.3};
  const auto loss = [&](const Matrix& at) { return hinge_loss(x * at, y, machine) / 30; };
  const Matrix gradient = hinge_gradient(x, x * A, y, machine);
  constexpr double step = 1e-6;  // no margin is so near 1 that it matters
  for (Index j = 0; j < 5; ++j) {
    for (Index k = 0; k < 2; ++k) {
      Matrix up = A, down = A;
      up(j, k) += step;
      down(j, k) -= step;
      EXPECT_NEAR(gradient(j, k), -(loss(up) - loss(down)) / (2 * step), 1e-8);
    }
  }
}

TEST(Harmonium, ProjectionCutsOnlyWhatIsTooLarge) {
  const std::vector<Wing> wings = {
      {Kind::gaussian, 0, 3}, {Kind::bernoulli, 3, 2}, {Kind::gaussian, 5, 2}};
  const Eigen::HouseholderQR<Matrix> left(normals(5, 5, 1)), right(normals(2, 2, 2));
  const Matrix U = Matrix(left.householderQ()).leftCols(2), R = right.householderQ();
  Parameters parameters{Matrix(7, 2), Vector::Zero(7)};
  const auto set = [&](double first, double second) {
    const Matrix A = U * Vector(Eigen::Vector2d(first, second)).asDiagonal() * R.transpose();
    parameters.A << A.topRows(3), Matrix::Constant(2, 2, 7), A.bottomRows(2);
  };
  set(3, 0.5);
  project(parameters, wings);
  const Matrix cut = parameters.A;
  set(0.999, 0.5);
  EXPECT_TRUE(cut.isApprox(parameters.A, 1e-12));
  set(0.99, 0.5);
  const Matrix small = parameters.A;
  project(parameters, wings);
  EXPECT_EQ(parameters.A, small);

  Matrix step = 4 * small.topRows(3);
  limit(step, 0.1);
  EXPECT_NEAR(step.jacobiSvd().singularValues()[0], 0.1, 1e-12);
  EXPECT_TRUE(step.normalized().isApprox(small.topRows(3).normalized(), 1e-12));
  const Matrix limited = step;
  limit(step, 0.1 + 1e-9);
  EXPECT_EQ(step, limited);
}

/// Four binary and two Gaussian units, whose likelihood can be written down.
const std::vector<Wing> tiny_wings = {{Kind::bernoulli, 0, 4}, {Kind::gaussian, 4, 2}};

/// Mean log p(x), but for a constant: the 16 states of the binary units are summed over, and of
/// each the Gaussian ones, of precision P = I - A Aᵀ, integrated out.
double log_likelihood(const Parameters& at, const DenseMatrix& x) {
  const Matrix binary = at.A.topRows(4), gaussian = at.A.bottomRows(2);
  const Matrix P = Matrix::Identity(2, 2) - gaussian * gaussian.transpose();
  double Z = 0;
  for (int state = 0; state < 16; ++state) {
    Vector bits(4);
    for (int j = 0; j < 4; ++j) bits[j] = (state >> j) & 1;
    const Vector mu = binary.transpose() * bits, l = at.offsets.tail(2) + gaussian * mu;
    Z +=
        std::exp(at.offsets.head(4).dot(bits) + mu.squaredNorm() / 2 + l.dot(P.inverse() * l) / 2) /
        std::sqrt(P.determinant());
  }
  const Vector unnormalised = x * at.offsets - x.rightCols(2).rowwise().squaredNorm() / 2 +
                              (x * at.A).rowwise().squaredNorm() / 2;
  return unnormalised.mean() - std::log(Z);
}

/// Drawn with a common cause, the Gaussian units standardised.
DenseMatrix tiny_data() {
  constexpr Index N = 200;
  const Matrix h = normals(N, 2, 1), noise = normals(N, 2, 2);
  Stream stream({.seed = 3});
  DenseMatrix x(N, 6);
  for (Index n = 0; n < N; ++n) {
    for (Index j = 0; j < 4; ++j) x(n, j) = stream.uniform() < sigmoid(3 * h(n, j % 2)) ? 1 : 0;
    for (Index j = 0; j < 2; ++j) x(n, 4 + j) = 2 * h(n, j) + noise(n, j);
  }
  auto gaussian = x.rightCols(2);
  gaussian.rowwise() -= gaussian.colwise().mean().eval();
  for (Index j = 0; j < 2; ++j) gaussian.col(j) /= gaussian.col(j).norm() / std::sqrt(N);
  return x;
}

TEST(Harmonium, TrainingForLikelihoodAloneRaisesIt) {
  const DenseMatrix x = tiny_data();
  Workers workers(1);
  Parameters start = principal_start(workers, x, tiny_wings, 2, 1);
  start.A = 0.05 * normals(6, 2, 4);
  MmhOptions options;
  options.rate = 0.05;
  const Learned learned = learn(x, Vector::Ones(x.rows()), tiny_wings, start, options, 0, {});
  EXPECT_GT(log_likelihood(learned.parameters, x), log_likelihood(start, x) + 0.3);
  EXPECT_EQ(learned.machine.v.norm(), 0);
}

TEST(Harmonium, DivergenceFollowsTheLikelihoodNearNoCoupling) {
  const DenseMatrix x = tiny_data();
  Workers workers(1);
  Parameters at = principal_start(workers, x, tiny_wings, 2, 1);
  at.A = 1e-3 * normals(6, 2, 5);
  const Matrix divergence = expected_gradient(at, tiny_wings, x).A;
  Matrix exact(6, 2);
  constexpr double step = 1e-5;
  for (Index j = 0; j < 6; ++j) {
    for (Index k = 0; k < 2; ++k) {
      Parameters up = at, down = at;
      up.A(j, k) += step;
      down.A(j, k) -= step;
      exact(j, k) = (log_likelihood(up, x) - log_likelihood(down, x)) / (2 * step);
    }
  }
  EXPECT_GT(exact.normalized().cwiseProduct(divergence.normalized()).sum(), 0.9999);
}

struct Labelled {
  Matrix mu;
  Vector y;
};

/// Classes that overlap, with 70 % of the first.
Labelled overlapping(Index count, std::uint64_t seed) {
  Labelled data{normals(count, 3, seed), Vector::Ones(count)};
  data.y.head(7 * count / 10).setConstant(-1);
  data.mu.col(0) += data.y;
  return data;
}

TEST(LinearMachine, IsThatOfLibsvm) {
  const Labelled data = overlapping(60, 1);
  std::vector<int> labels;
  std::vector<Index> all;
  for (Index n = 0; n < 60; ++n) {
    labels.push_back(data.y[n] > 0 ? 1 : 0);
    all.push_back(n);
  }
  KernelSvm libsvm(labels, 2);
  const Matrix K = data.mu * data.mu.transpose();
  libsvm.set_kernel(K);
  for (const double C : {0.01, 1.0, 100.0}) {
    const Matrix theirs = libsvm.train(all, C).scores(K);
    const LinearMachine ours = train_linear_machine(data.mu, data.y, C);
    // Its tolerance is 1e-3, of the gradient.
    EXPECT_LT((ours.scores(data.mu) - theirs).cwiseAbs().maxCoeff(), 1e-2) << C;
  }
}

TEST(LinearMachine, NothingNearIsBetter) {
  for (const double C : {0.01, 1.0, 100.0}) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
      Labelled data = overlapping(50, 2);
      data.mu *= scale;
      const LinearMachine best = train_linear_machine(data.mu, data.y, C);
      const double least = objective(data.mu, data.y, C, best);
      const Matrix by = normals(4, 200, 3);
      for (Index i = 0; i < by.cols(); ++i) {
        for (const double size : {1e-4, 1e-2, 1.0}) {
          LinearMachine other = best;
          other.v += size * (best.v.norm() + 1e-3) * by.col(i).head(3);
          other.b += size * by(3, i);
          EXPECT_GE(objective(data.mu, data.y, C, other), least * (1 - 1e-8)) << C << " " << scale;
        }
      }
    }
  }
}

TEST(LinearMachine, BiasIsFree) {
  // Far from the origin, two points: the boundary is between them, the scores are ∓1.
  const Matrix mu = (Matrix(2, 1) << 1000, 1002).finished();
  const Vector y = (Vector(2) << -1, 1).finished();
  const LinearMachine machine = train_linear_machine(mu, y, 100);
  EXPECT_NEAR(machine.v[0], 1, 1e-6);
  EXPECT_NEAR(machine.b, -1001, 1e-3);
  // Nothing to tell by: the larger class.
  EXPECT_NEAR(train_linear_machine(Matrix::Zero(3, 1), Eigen::Vector3d(1, 1, -1), 1).b, 1, 1e-6);
}

TEST(Scores, DoNotDependOnTheBasis) {
  const DenseMatrix x = normals(40, 6, 1);
  const Matrix A = normals(6, 3, 2),
               R = Eigen::HouseholderQR<Matrix>(normals(3, 3, 3)).householderQ();
  const Vector y = (x.col(0) + x.col(4)).cwiseSign();
  const LinearMachine machine = train_linear_machine(x * A, y, 1);
  // Turned: scores are the same, of the turned machine and of one that is trained anew.
  const LinearMachine turned{R.transpose() * machine.v, machine.b};
  const Matrix turned_mu = x * (A * R);
  EXPECT_TRUE(turned.scores(turned_mu).isApprox(machine.scores(x * A), 1e-12));
  EXPECT_TRUE(train_linear_machine(turned_mu, y, 1)
                  .scores(turned_mu)
                  .isApprox(machine.scores(x * A), 1e-4));
}

View view_of(DenseMatrix values) { return {"view", std::move(values), {}, {}, {}}; }

/// Two real views, or one of them binary.
Dataset simulated(bool binary = false, double gaps = 0) {
  SimulationOptions options;
  options.instances = 240;
  options.views = {6, 9};
  options.latent = 3;
  options.noise = 0.3;
  options.missing_views = gaps;
  options.missing_cells = gaps;
  Dataset data = simulate(options);
  if (!binary) return data;
  auto& values = std::get<DenseMatrix>(data.views[1].values);
  for (Index n = 0; n < values.rows(); ++n) {
    if (!data.views[1].has(n)) continue;
    for (Index d = 0; d < values.cols(); ++d) {
      if (!std::isnan(values(n, d))) values(n, d) = values(n, d) > 0 ? 1 : 0;
    }
  }
  return data;
}

std::pair<Dataset, Dataset> split(const Dataset& data) {
  std::vector<Index> training, test;
  for (Index n = 0; n < data.instances(); ++n) (n % 3 == 0 ? test : training).push_back(n);
  return {data.select(training), data.select(test)};
}

MmhOptions quick() {
  MmhOptions options;
  options.latent = 5;
  options.rounds = 8;
  return options;
}

/// One column a setting.
Matrix scores(const Dataset& training, const Vector& y, const Dataset& test,
              const MmhOptions& options = quick(), int threads = 1) {
  Workers workers(threads);
  const auto rival = mmh(options);
  std::vector<std::size_t> all;
  for (std::size_t s = 0; s < rival->settings(); ++s) all.push_back(s);
  Matrix result(test.instances(), std::ssize(all));
  const auto machines = rival->train(training, y, all, workers, {});
  for (const std::size_t s : all) {
    result.col(static_cast<Index>(s)) = machines[s]->scores(test, workers);
  }
  return result;
}

/// The worst over settings.
double accuracy(const Matrix& scores, const Vector& y) {
  double worst = 1;
  for (Index s = 0; s < scores.cols(); ++s) {
    const auto is_right = scores.col(s).array() * y.array() > 0;
    worst = std::min(worst, static_cast<double>(is_right.count()) / static_cast<double>(y.size()));
  }
  return worst;
}

TEST(Mmh, LearnsRealAndBinaryViews) {
  for (const bool binary : {false, true}) {
    const auto [training, test] = split(simulated(binary));
    const Matrix all = scores(training, signs(training), test);
    ASSERT_EQ(all.cols(), 5);
    EXPECT_GT(accuracy(all, signs(test)), 0.8) << binary;
    EXPECT_GT(accuracy(all.col(2), signs(test)), 0.87) << binary;
  }
}

TEST(Mmh, TakesGaps) {
  for (const bool binary : {false, true}) {
    const auto [training, test] = split(simulated(binary, 0.1));
    const Matrix all = scores(training, signs(training), test);
    EXPECT_TRUE(all.allFinite());
    EXPECT_GT(accuracy(all, signs(test)), 0.7) << binary;
  }
}

TEST(Mmh, FlippedLabelsFlipTheScores) {
  const auto [training, test] = split(simulated(true));
  const Vector y = signs(training);
  EXPECT_EQ(scores(training, y, test), -scores(training, -y, test));
}

// From the same start, up to rounding.
TEST(Mmh, OrderOfViewsDoesNotMatter) {
  const Dataset data = simulated(true);
  const Vector y = signs(data);
  Workers workers(1);
  const Visible visible(data);
  const DenseMatrix x = visible(data, workers);
  const Parameters start = principal_start(workers, x, visible.wings(), 5, 1);

  Dataset other = data;
  std::swap(other.views[0], other.views[1]);
  const Visible other_visible(other);
  const DenseMatrix other_x = other_visible(other, workers);
  Parameters other_start = start;
  other_start.A << start.A.bottomRows(9), start.A.topRows(6);
  other_start.offsets << start.offsets.tail(9), start.offsets.head(6);

  const Learned one = learn(x, y, visible.wings(), start, quick(), 1, {});
  const Learned two = learn(other_x, y, other_visible.wings(), other_start, quick(), 1, {});
  EXPECT_TRUE(one.machine.scores(x * one.parameters.A)
                  .isApprox(two.machine.scores(other_x * two.parameters.A), 1e-6));
}

TEST(Mmh, WorkersAndOtherSettingsDoNotChangeIt) {
  const auto [training, test] = split(simulated(true, 0.05));
  const Vector y = signs(training);
  const Matrix first = scores(training, y, test);
  EXPECT_EQ(first, scores(training, y, test, quick(), 2));
  MmhOptions one = quick();
  one.C2 = 10;
  EXPECT_EQ(first.col(3), scores(training, y, test, one).col(0));
  one.seed = 2;
  EXPECT_NE(first.col(3), scores(training, y, test, one).col(0));
}

/// Three views that share one latent dimension each with the label: real, binary and counts.
Dataset three_wings() {
  constexpr Index N = 300;
  const Matrix h = normals(N, 3, 1);
  const auto view = [&](Index k, std::uint64_t seed) -> DenseMatrix {
    return h.col(k) * normals(1, 8, seed).cwiseSign() + 0.5 * normals(N, 8, seed + 1);
  };
  Dataset data;
  data.views = {view_of(view(0, 10)), view_of((view(1, 20).array() > 0).cast<double>()),
                view_of((1 + view(2, 30).array()).exp().floor())};
  data.labels.emplace();
  data.labels->classes = {"1", "2"};
  for (Index n = 0; n < N; ++n) data.labels->of.push_back(h.row(n).sum() > 0 ? 1 : 0);
  return data;
}

MmhOptions of_three() {
  MmhOptions options = quick();
  options.C2 = 10;
  options.rounds = 20;
  return options;
}

TEST(Mmh, LearnsFromEachOfThreeWings) {
  const Dataset data = three_wings();
  const Visible visible(data);
  ASSERT_EQ(visible.wings().size(), 3U);
  for (const Wing& wing : visible.wings()) EXPECT_EQ(wing.size, 8);
  const auto held_out = [](const Dataset& of) {
    const auto [training, test] = split(of);
    return accuracy(scores(training, signs(training), test, of_three()), signs(test));
  };
  const double with_all = held_out(data);
  EXPECT_GT(with_all, 0.85);
  for (std::size_t v = 0; v < 3; ++v) {
    Dataset without = data;
    without.views.erase(without.views.begin() + static_cast<std::ptrdiff_t>(v));
    EXPECT_LT(held_out(without), with_all - 0.05) << v;
  }
}

// From the same start, up to rounding.
TEST(Mmh, OrderOfThreeWingsDoesNotMatter) {
  const Dataset data = three_wings();
  Dataset other = data;
  std::rotate(other.views.begin(), other.views.begin() + 1, other.views.end());
  const Visible visible(data), other_visible(other);
  const DenseMatrix x = visible(data, alone), other_x = other_visible(other, alone);
  const Parameters start = principal_start(alone, x, visible.wings(), 5, 1);
  const auto turned = [](const auto& rows) {
    Matrix result(rows.rows(), rows.cols());
    result << rows.bottomRows(16), rows.topRows(8);
    return result;
  };
  const Parameters other_start{turned(start.A), turned(start.offsets)};
  const Vector y = signs(data);
  const Learned one = learn(x, y, visible.wings(), start, quick(), 1, {});
  const Learned two = learn(other_x, y, other_visible.wings(), other_start, quick(), 1, {});
  EXPECT_TRUE(one.machine.scores(x * one.parameters.A)
                  .isApprox(two.machine.scores(other_x * two.parameters.A), 1e-6));
}

TEST(Mmh, TakesLogarithmsOfCounts) {
  const DenseMatrix counts = (DenseMatrix(4, 2) << 0, 3, 1, nan, 2, 0, 7, 1).finished();
  const Dataset data{{view_of(counts)}, {}, {}};
  DenseMatrix expected(4, 2);
  for (Index d = 0; d < 2; ++d) {
    Vector known = Vector::Zero(4);
    double sum = 0, squares = 0, number = 0;
    for (Index n = 0; n < 4; ++n) {
      if (std::isnan(counts(n, d))) continue;
      known[n] = std::log(1 + counts(n, d));
      sum += known[n];
      squares += known[n] * known[n];
      ++number;
    }
    const double mean = sum / number, deviation = std::sqrt(squares / number - mean * mean);
    for (Index n = 0; n < 4; ++n) {
      expected(n, d) = std::isnan(counts(n, d)) ? 0 : (known[n] - mean) / deviation;
    }
  }
  const Visible visible(data);
  EXPECT_TRUE(visible(data, alone).isApprox(expected, 1e-12));
  Dataset sparse = data;
  sparse.views[0].values = SparseMatrix(counts.sparseView(0, 0));
  EXPECT_TRUE(Visible(sparse)(sparse, alone).isApprox(expected, 1e-12));

  // Neither what is not whole nor what is below 0 is a count, nor are zeros and ones.
  for (const double other : {0.5, -1.0}) {
    DenseMatrix values = counts;
    values(0, 0) = other;
    const Dataset real{{view_of(values)}, {}, {}};
    const DenseMatrix rows = Visible(real)(real, alone);
    EXPECT_NEAR((rows(3, 0) - rows(2, 0)) / (rows(2, 0) - rows(1, 0)), 5, 1e-9);
  }
  // What training did not have is no error.
  DenseMatrix negative = counts;
  negative(0, 0) = -3;
  EXPECT_EQ(visible({{view_of(negative)}, {}, {}}, alone)(0, 0), visible(data, alone)(0, 0));
}

TEST(Mmh, StorageDoesNotMatter) {
  const auto [training, test] = split(simulated(true, 0.05));
  const auto sparse = [](Dataset data) {
    for (View& view : data.views) view.values = SparseMatrix(view.dense().sparseView(0, 0));
    return data;
  };
  Dataset thin = sparse(training), thin_test = sparse(test);
  ASSERT_EQ(thin.views[0].missing_cells(), training.views[0].missing_cells());
  const Matrix expected = scores(training, signs(training), test);
  EXPECT_TRUE(scores(thin, signs(training), thin_test).isApprox(expected, 1e-4));
}

TEST(Mmh, ConstantFeaturesDoNoHarm) {
  const auto [training, test] = split(simulated(true));
  const auto with_constants = [](Dataset data, double wrong) {
    for (View& view : data.views) {
      auto& values = std::get<DenseMatrix>(view.values);
      values.conservativeResize(Eigen::NoChange, values.cols() + 1);
      values.rightCols(1).setConstant(1 + wrong);
    }
    data.views.push_back(view_of(DenseMatrix::Constant(data.instances(), 2, 3 + wrong)));
    return data;
  };
  const Vector y = signs(training);
  // What was constant in training is not looked at later either.
  EXPECT_EQ(scores(training, y, test),
            scores(with_constants(training, 0), y, with_constants(test, 5)));
}

TEST(Mmh, NothingButConstants) {
  const Dataset data{{view_of(DenseMatrix::Ones(5, 2))}, {}, {}};
  const Vector y = (Vector(5) << 1, 1, -1, 1, -1).finished();
  const Matrix all = scores(data, y, data);
  EXPECT_TRUE(all.allFinite());
  EXPECT_TRUE((all.array() > 0).all());
}

TEST(Mmh, TwoInstances) {
  const Dataset data = simulated(true);
  const Vector y = signs(data);
  Index other = 1;
  while (y[other] == y[0]) ++other;
  const Dataset two = data.select({0, other});
  const Matrix all = scores(two, signs(two), data);
  EXPECT_TRUE(all.allFinite());
  EXPECT_EQ(accuracy(scores(two, signs(two), two), signs(two)), 1);
}

// Principal variances far above 1/rate, and a large C2: steps that are not limited would diverge.
TEST(Mmh, WideViewsStayFinite) {
  const Vector h = normals(30, 1, 1);
  const DenseMatrix x = h * normals(1, 600, 2) + 0.3 * normals(30, 600, 3);
  const Dataset data{{view_of(x), view_of((x.array() > 0).cast<double>())}, {}, {}};
  MmhOptions options = quick();
  options.rate = 0.05;
  const Matrix all = scores(data, h.cwiseSign(), data, options);
  EXPECT_TRUE(all.allFinite());
  EXPECT_EQ(accuracy(all, h.cwiseSign()), 1);
}

TEST(Mmh, OtherViewsAreRefused) {
  const Dataset data = simulated();
  Workers workers(1);
  const std::array<std::size_t, 1> settings = {0};
  const auto machines = mmh(quick())->train(data, signs(data), settings, workers, {});
  Dataset other = data;
  other.views.pop_back();
  EXPECT_THROW(machines[0]->scores(other, workers), BadData);
  other = data;
  std::get<DenseMatrix>(other.views[0].values).conservativeResize(Eigen::NoChange, 2);
  EXPECT_THROW(machines[0]->scores(other, workers), BadData);
  // Gaps where training had none.
  other = data;
  std::get<DenseMatrix>(other.views[0].values)(3, 1) = nan;
  EXPECT_TRUE(machines[0]->scores(other, workers).allFinite());
}

TEST(Mmh, CanBeStopped) {
  const Dataset data = simulated();
  Workers workers(2);
  const std::array<std::size_t, 2> settings = {0, 1};
  EXPECT_THROW(mmh(quick())->train(data, signs(data), settings, workers, [] { return true; }),
               Stopped);
  std::atomic<int> asked = 0;
  EXPECT_THROW(
      mmh(quick())->train(data, signs(data), settings, workers, [&] { return ++asked > 5; }),
      Stopped);
}

TEST(Mmh, SaysWhatItTries) {
  const auto rival = mmh();
  EXPECT_EQ(rival->settings(), 5);
  EXPECT_EQ(rival->describe(0), "C1 = 1, C2 = 0.01");
  EXPECT_EQ(rival->describe(4), "C1 = 1, C2 = 100");
  EXPECT_GT(rival->bytes({1000, {50, 50}}, 1), 1000 * 100 * sizeof(double));
  EXPECT_EQ(mmh({.C2 = 3})->settings(), 1);
  EXPECT_THROW(mmh({.latent = 0}), BadUsage);
  EXPECT_THROW(mmh({.C1 = 0}), BadUsage);
  EXPECT_THROW(mmh({.C2 = -1}), BadUsage);
}

}  // namespace
}  // namespace m3lak
