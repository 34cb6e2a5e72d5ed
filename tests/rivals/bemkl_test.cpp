#include "rivals/bemkl/bemkl.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <numbers>

#include "m3lak/error.h"
#include "m3lak/simulate.h"
#include "rivals/bemkl/inference.h"
#include "rivals/bemkl/kernels.h"
#include "rivals/bemkl/precision.h"
#include "rivals/bemkl/truncated_normal.h"
#include "rivals/distances.h"
#include "rivals/examples.h"
#include "rivals/standard_views.h"

namespace m3lak {
namespace {

using namespace bemkl_parts;

constexpr std::array priors = {BemklPrior::plain, BemklPrior::sparse, BemklPrior::small_sample};
const double log_two_pi = std::log(2 * std::numbers::pi);

BemklOptions few_widths() {
  BemklOptions options;
  options.narrowest = -3;
  options.widest = 4;
  return options;
}

std::unique_ptr<Machine> train(const BemklOptions& options, const Dataset& data, Workers& workers) {
  const std::array<std::size_t, 1> setting = {0};
  return std::move(bemkl(options)->train(data, signs(data), setting, workers, {})[0]);
}

double accuracy(const Machine& machine, const Dataset& data, Workers& workers) {
  const Vector agreement = machine.scores(data, workers).cwiseProduct(signs(data));
  return static_cast<double>((agreement.array() > 0).count()) /
         static_cast<double>(agreement.size());
}

/// First instances to train on, the others to test.
struct Split {
  Dataset training, test;
};

Split split(const Dataset& data, Index training) {
  std::vector<Index> first, others;
  for (Index n = 0; n < data.instances(); ++n) (n < training ? first : others).push_back(n);
  return {data.select(first), data.select(others)};
}

std::vector<Matrix> distances_of(const std::vector<DenseMatrix>& views) {
  Workers workers(1);
  std::vector<Matrix> distances;
  for (const DenseMatrix& view : views) distances.push_back(squared_distances(workers, view));
  return distances;
}

/// Inference on two views of 40 instances, and all that it refers to.
struct Small {
  explicit Small(std::vector<Matrix> distances, const BemklOptions& options = few_widths())
      : options(options),
        kernels(std::vector<Widths>(distances.size(),
                                    {options.narrowest, options.widest, options.denominator}),
                distances),
        start(random_start(y, kernels.count(), options.margin, options.seed)) {}
  explicit Small(const BemklOptions& options = few_widths()) : Small(views(), options) {}

  static const Dataset& data() {
    static const Dataset data = ring(40);
    return data;
  }
  static std::vector<Matrix> views() { return distances_of(StandardViews(data())(data())); }

  Inference inference() { return {workers, kernels, y, options, start, {}}; }

  Posterior after(int sweeps) {
    Inference inference = this->inference();
    for (int sweep = 0; sweep < sweeps; ++sweep) inference.sweep();
    return inference.posterior();
  }

  /// Of the training instances, and without any constraint.
  Vector scores(const Posterior& q) const {
    Matrix K(kernels.rows(), kernels.count());
    Vector scores(kernels.instances());
    for (Index n = 0; n < scores.size(); ++n) {
      kernels.of_instance(n, K);
      scores[n] = q.b() + q.e().dot(K.transpose() * q.a);
    }
    return scores;
  }

  Workers workers{1};
  BemklOptions options;
  Vector y = signs(data());
  Kernels kernels;
  Posterior start;
};

double digamma(double x) {
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double r = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r / 252));
}

/// The equations of the model as they are: all matrices in full, general inverses, and of the bound
/// each expectation and each entropy.
class WrittenOut {
 public:
  explicit WrittenOut(const Small& small)
      : options_(small.options),
        y_(small.y),
        N_(small.y.size()),
        P_(small.kernels.count()),
        S_a_(Matrix::Identity(N_, N_)),
        q_(small.start) {
    prior_shape_ = options_.prior == BemklPrior::plain ? 1 : 1e-10;
    prior_scale_ = options_.prior == BemklPrior::plain    ? 1
                   : options_.prior == BemklPrior::sparse ? 1e10
                                                          : 1e-10;
    K_.assign(static_cast<std::size_t>(P_), Matrix(N_, N_));
    Matrix values(N_, P_);
    for (Index n = 0; n < N_; ++n) {
      small.kernels.of_instance(n, values);
      for (Index p = 0; p < P_; ++p) K_[static_cast<std::size_t>(p)].col(n) = values.col(p);
    }
  }

  void sweep() {
    const double variance = options_.noise * options_.noise;
    const auto N = static_cast<double>(N_);
    lambda_ = scales((q_.a * q_.a.transpose() + S_a_).diagonal());
    Matrix precision = (shape() * lambda_).asDiagonal();
    Vector linear = Vector::Zero(N_);
    for (Index p = 0; p < P_; ++p) {
      const Matrix& K = K_[static_cast<std::size_t>(p)];
      precision += K * K.transpose() / variance;
      linear += K * q_.G.row(p).transpose() / variance;
    }
    S_a_ = precision.inverse();
    q_.a = S_a_ * linear;

    S_G_ = (Matrix::Identity(P_, P_) / variance + ee()).inverse();
    for (Index n = 0; n < N_; ++n) {
      Vector of_a(P_);
      for (Index p = 0; p < P_; ++p) of_a[p] = q_.a.dot(K_[static_cast<std::size_t>(p)].col(n));
      q_.G.col(n) = S_G_ * (of_a / variance + q_.e() * q_.f[n] - be());
    }

    omega_ = scales(q_.be.cwiseAbs2() + q_.be_covariance.diagonal());
    Matrix both = (shape() * omega_).asDiagonal();
    both(0, 0) += N;
    both.row(0).tail(P_) += q_.G.rowwise().sum().transpose();
    both.col(0).tail(P_) += q_.G.rowwise().sum();
    both.bottomRightCorner(P_, P_) += GG();
    q_.be_covariance = both.inverse();
    Vector right(P_ + 1);
    right << q_.f.sum(), q_.G * q_.f;
    q_.be = q_.be_covariance * right;

    o_ = (q_.G.transpose() * q_.e()).array() + q_.b();
    for (Index n = 0; n < N_; ++n) q_.f[n] = o_[n] + y_[n] * rho(n);
  }

  double bound() const {
    const double variance = options_.noise * options_.noise;
    const auto N = static_cast<double>(N_), P = static_cast<double>(P_);
    const Matrix aa = q_.a * q_.a.transpose() + S_a_;
    const Vector squares = q_.be.cwiseAbs2() + q_.be_covariance.diagonal();
    double sum = of_gammas(lambda_, aa.diagonal()) + of_gammas(omega_, squares);
    sum += 0.5 * (N * log_two_pi + N + std::log(S_a_.determinant()));
    sum += 0.5 * ((P + 1) * (log_two_pi + 1) + std::log(q_.be_covariance.determinant()));
    sum += N * 0.5 * (P * (log_two_pi + 1) + std::log(S_G_.determinant()));

    double of_G = GG().trace();
    for (Index p = 0; p < P_; ++p) {
      const Matrix& K = K_[static_cast<std::size_t>(p)];
      of_G += -2 * q_.a.dot(K * q_.G.row(p).transpose()) + (K * K.transpose() * aa).trace();
    }
    sum += -of_G / (2 * variance) - N * P / 2 * (log_two_pi + std::log(variance));

    double of_f = (ee() * GG()).trace() + 2 * be().dot(q_.G.rowwise().sum()) + N * squares[0] +
                  N * log_two_pi - 2 * q_.f.dot(o_);
    for (Index n = 0; n < N_; ++n) {
      const double variance_of_f = 1 - z(n) * rho(n) - rho(n) * rho(n);
      of_f += q_.f[n] * q_.f[n] + variance_of_f;
      sum += 0.5 * (log_two_pi + variance_of_f + std::pow(q_.f[n] - o_[n], 2)) + std::log(Phi(n));
    }
    return sum - 0.5 * of_f;
  }

  const Posterior& posterior() const { return q_; }

 private:
  double shape() const { return prior_shape_ + 0.5; }
  Vector scales(const Vector& squares) const {
    return (1 / prior_scale_ + squares.array() / 2).inverse();
  }
  double of_gammas(const Vector& scales, const Vector& squares) const {
    double sum = 0;
    for (Index i = 0; i < scales.size(); ++i) {
      const double s = scales[i], expected_log = digamma(shape()) + std::log(s);
      sum += -prior_shape_ * std::log(prior_scale_) - std::lgamma(prior_shape_) +
             (prior_shape_ - 1) * expected_log - shape() * s / prior_scale_;
      sum += -0.5 * log_two_pi + 0.5 * expected_log - 0.5 * shape() * s * squares[i];
      sum += shape() + std::log(s) + std::lgamma(shape()) + (1 - shape()) * digamma(shape());
    }
    return sum;
  }
  Matrix ee() const {
    return q_.e() * q_.e().transpose() + q_.be_covariance.bottomRightCorner(P_, P_);
  }
  Vector be() const { return q_.b() * q_.e() + q_.be_covariance.col(0).tail(P_); }
  Matrix GG() const { return q_.G * q_.G.transpose() + static_cast<double>(N_) * S_G_; }
  double z(Index n) const { return y_[n] * o_[n] - options_.margin; }
  double Phi(Index n) const { return std::erfc(-z(n) / std::numbers::sqrt2) / 2; }
  double rho(Index n) const { return std::exp(-(z(n) * z(n) + log_two_pi) / 2) / Phi(n); }

  BemklOptions options_;
  Vector y_;
  Index N_, P_;
  double prior_shape_, prior_scale_;
  std::vector<Matrix> K_;
  Vector lambda_, omega_, o_;
  Matrix S_a_, S_G_;
  Posterior q_;
};

TEST(BemklKernels, AreGaussian) {
  const std::vector<Matrix> distances = Small::views();
  for (const double denominator : {1.0, 2.0}) {
    const Kernels kernels({{-10, 10, denominator}, {-10, 10, denominator}}, distances);
    ASSERT_EQ(kernels.count(), 42);
    Matrix K(40, 42);
    kernels.of_instance(7, K);
    for (Index p = 0; p < 42; ++p) {
      const double width = std::exp2(static_cast<double>(p % 21 - 10));
      const Vector expected =
          (-distances[static_cast<std::size_t>(p / 21)].col(7) / (denominator * width * width))
              .array()
              .exp();
      // A power has 64 times the rounding error of an exponential.
      EXPECT_LT(((K.col(p) - expected).array().abs() / (expected.array() + 1e-25)).maxCoeff(),
                1e-12)
          << "kernel " << p;
      EXPECT_EQ(K(7, p), 1);
    }
  }
}

TEST(BemklKernels, NarrowOnesAreLeftOut) {
  Workers workers(1);
  const DenseMatrix x = (DenseMatrix(3, 1) << 0, 10, 30).finished();  // median distance 20
  const Matrix distances = squared_distances(workers, x);
  EXPECT_EQ(without_narrow({-10, 10, 2}, distances, 0.25).narrowest, 3);  // 8, but not 4
  EXPECT_EQ(without_narrow({4, 10, 2}, distances, 0.25).narrowest, 4);
  EXPECT_EQ(without_narrow({-10, 2, 2}, distances, 0.25).narrowest, 2);
  EXPECT_EQ(without_narrow({-10, 10, 2}, distances, 0).narrowest, -10);
}

/// Of wide views, where most widths are too narrow, and of classes that are not of one size.
TEST(Bemkl, NarrowKernelsTurnScoresToOneSide) {
  Workers workers(2);
  SimulationOptions wide;
  wide.instances = 400;
  wide.views = {300, 400};
  wide.noise = 2;
  Dataset all = simulate(wide);
  std::vector<Index> kept;
  for (Index n = 0; n < 400; ++n) {
    if (all.labels->of[static_cast<std::size_t>(n)] == 0 || n % 2 == 0) kept.push_back(n);
  }
  const Split data = split(all.select(kept), 120);
  BemklOptions without, with;
  without.sweeps = with.sweeps = 50;
  with.least_width = 0;
  const double better = accuracy(*train(without, data.training, workers), data.test, workers);
  EXPECT_GT(better, 0.75);
  EXPECT_GT(better, accuracy(*train(with, data.training, workers), data.test, workers) + 0.05);
}

TEST(BemklKernels, SumOfSquares) {
  // Of more kernels than fit side by side in one part, too.
  for (const int widest : {0, 2, 300}) {
    const Kernels kernels({{-1, widest, 2}, {0, widest, 2}}, Small::views());
    Workers workers(2);
    const Matrix T = sum_of_squares(workers, kernels, {});
    Matrix expected = Matrix::Zero(40, 40), K(40, kernels.count());
    for (Index n = 0; n < 40; ++n) {
      kernels.of_instance(n, K);
      expected += K * K.transpose();
    }
    const Matrix full = T.selfadjointView<Eigen::Lower>();
    EXPECT_TRUE(full.isApprox(expected, 1e-13));
  }
}

TEST(BemklPrecision, IsInverted) {
  Workers workers(2);
  const Index N = 150;
  const Matrix X = Matrix::Random(N, 2 * N), A = X * X.transpose();
  const Vector d = Vector::LinSpaced(N, 1, 5);
  const Matrix sum = A + Matrix(d.asDiagonal()), inverse = sum.inverse();
  FactoredPrecision precision;
  precision.factor(A, d);
  EXPECT_EQ(precision.diagonal(), d);
  EXPECT_TRUE(precision.covariance().isApprox(inverse, 1e-10));
  EXPECT_EQ(precision.covariance(), precision.covariance().transpose());
  EXPECT_TRUE(precision.variances(workers).isApprox(inverse.diagonal(), 1e-10));
  EXPECT_TRUE(precision.times(d).isApprox(inverse * d, 1e-10));
  precision.factor(A.topLeftCorner(4, 4), d.head(4));
  EXPECT_NEAR(precision.log_determinant(), -std::log(sum.topLeftCorner(4, 4).determinant()), 1e-10);
}

TEST(BemklPrecision, IsRaisedWhereItIsSingular) {
  const Matrix A = Matrix::Constant(5, 5, 0.1);
  FactoredPrecision precision;
  precision.factor(A, Vector::Constant(5, 1e-30));
  EXPECT_TRUE(precision.covariance().allFinite());
  EXPECT_GT(precision.diagonal().minCoeff(), 1e-30);
  EXPECT_LT(precision.diagonal().maxCoeff(), 1e-12);
}

/// Density, mean and E log N(x | z, 1) + entropy, by the trapezoidal rule on (0, 40).
TEST(BemklTruncatedNormal, AgreesWithQuadrature) {
  for (const double z : {-12.0, -8.01, -7.99, -3.0, -0.4, 0.0, 1.7, 9.0}) {
    constexpr int steps = 400000;
    constexpr double step = 40.0 / steps;
    // Weights relative to that at 0, so that they do not underflow.
    double mass = 0, first = 0;
    for (int i = 0; i <= steps; ++i) {
      const double x = i * step;
      const double weight = std::exp(-x * x / 2 + x * z) * (i == 0 || i == steps ? 0.5 : 1);
      mass += weight;
      first += weight * x;
    }
    const double log_mass = std::log(mass * step) - (z * z + log_two_pi) / 2;
    double bound = 0;  // ∫ q (log N(x | z, 1) - log q)
    for (int i = 0; i <= steps; ++i) {
      const double x = i * step;
      const double log_density = -(x - z) * (x - z) / 2 - log_two_pi / 2;
      const double log_q = log_density - log_mass;
      bound += step * std::exp(log_q) * (log_density - log_q) * (i == 0 || i == steps ? 0.5 : 1);
    }
    const PositiveNormal found = positive_normal(z);
    EXPECT_NEAR(found.mean, first / mass, 1e-6 * found.mean) << z;
    EXPECT_NEAR(found.log_probability, log_mass, 1e-6 * std::max(1.0, std::abs(log_mass))) << z;
    EXPECT_NEAR(found.log_probability, bound, 1e-6 * std::max(1.0, std::abs(log_mass))) << z;
  }
}

TEST(BemklTruncatedNormal, HoldsFarOut) {
  EXPECT_NEAR(positive_normal(-1e6).mean, 1e-6, 1e-17);
  EXPECT_NEAR(positive_normal(-40).log_probability, -804.608442, 1e-6);
  EXPECT_EQ(positive_normal(1e3).mean, 1e3);
  EXPECT_EQ(positive_normal(1e3).log_probability, 0);
  EXPECT_NEAR(positive_normal(10).log_probability, -7.619853024160527e-24, 1e-36);
}

TEST(BemklInference, AgreesWithTheEquationsWrittenOut) {
  for (const BemklPrior prior : priors) {
    BemklOptions options = few_widths();
    options.prior = prior;
    Small small(options);
    Inference inference = small.inference();
    WrittenOut expected(small);
    for (int sweep = 0; sweep < 5; ++sweep) {
      inference.sweep();
      expected.sweep();
      EXPECT_NEAR(inference.bound(), expected.bound(), 1e-7 * std::abs(expected.bound()));
    }
    const Posterior &q = inference.posterior(), &e = expected.posterior();
    EXPECT_TRUE(q.be.isApprox(e.be, 1e-7));
    EXPECT_TRUE(q.be_covariance.isApprox(e.be_covariance, 1e-7));
    EXPECT_TRUE(q.f.isApprox(e.f, 1e-7));
    EXPECT_TRUE(q.G.isApprox(e.G, 1e-7));
    EXPECT_TRUE(q.a.isApprox(e.a, 1e-6));
  }
}

TEST(BemklInference, BoundNeverFallsAndScoresKeepTheMargin) {
  for (const BemklPrior prior : priors) {
    BemklOptions options = few_widths();
    options.prior = prior;
    Small small(options);
    Inference inference = small.inference();
    double before = -INFINITY;
    for (int sweep = 0; sweep < 100; ++sweep) {
      inference.sweep();
      const double bound = inference.bound();
      ASSERT_GT(bound, before - 1e-10 * std::abs(bound)) << "sweep " << sweep;
      before = bound;
      const Vector agreement = small.y.cwiseProduct(inference.posterior().f);
      ASSERT_GT(agreement.minCoeff(), options.margin);
    }
  }
}

TEST(BemklInference, OtherSignsOfLabelsAreOtherSignsOfScores) {
  Small small, negative;
  negative.y *= -1;
  negative.start.a *= -1;
  negative.start.G *= -1;
  negative.start.f *= -1;
  const Posterior q = small.after(30), opposite = negative.after(30);
  EXPECT_EQ(q.a, -opposite.a);
  EXPECT_EQ(q.b(), -opposite.b());
  EXPECT_EQ(q.e(), opposite.e());
  EXPECT_EQ(q.f, -opposite.f);
}

TEST(BemklInference, OrderOfKernelsDoesNotMatter) {
  const std::vector<Matrix> distances = Small::views();
  Small small(distances), swapped({distances[1], distances[0]});
  const Index half = small.kernels.count() / 2;
  swapped.start.G << small.start.G.bottomRows(half), small.start.G.topRows(half);
  const Posterior q = small.after(20), other = swapped.after(20);
  EXPECT_TRUE(q.e().head(half).isApprox(other.e().tail(half), 1e-12));
  EXPECT_TRUE(q.e().tail(half).isApprox(other.e().head(half), 1e-12));
  EXPECT_FALSE(q.e().head(half).isApprox(q.e().tail(half), 1e-3));
  EXPECT_TRUE(small.scores(q).isApprox(swapped.scores(other), 1e-12));
}

TEST(BemklInference, EqualKernelsHaveEqualWeights) {
  const std::vector<Matrix> distances = Small::views();
  Small small({distances[0], distances[0]});
  const Index half = small.kernels.count() / 2;
  small.start.G.bottomRows(half) = small.start.G.topRows(half);
  const Posterior q = small.after(50);
  EXPECT_TRUE(q.e().head(half).isApprox(q.e().tail(half), 1e-10));
  EXPECT_GT(q.e().head(half).cwiseAbs().maxCoeff(), 0.1);
}

TEST(Bemkl, LearnsWhatIsNotLinear) {
  Workers workers(2);
  const Split data = split(ring(400), 150);
  for (const BemklPrior prior : priors) {
    BemklOptions options;
    options.prior = prior;
    options.sweeps = 20;
    EXPECT_GT(accuracy(*train(options, data.training, workers), data.test, workers), 0.85);
  }
}

TEST(Bemkl, TakesGaps) {
  Workers workers(2);
  const Split data = split(ring(400, 0.05), 150);
  BemklOptions options;
  options.sweeps = 20;
  const auto machine = train(options, data.training, workers);
  EXPECT_GT(accuracy(*machine, data.test, workers), 0.75);
}

TEST(Bemkl, IsTheSameForAnyNumberOfWorkers) {
  Workers one(1), two(2);
  const Split data = split(ring(360), 70);
  BemklOptions options = few_widths();
  options.sweeps = 20;
  const Vector scores = train(options, data.training, one)->scores(data.test, one);
  EXPECT_EQ(scores, train(options, data.training, two)->scores(data.test, two));
}

TEST(Bemkl, CanBeStopped) {
  Workers workers(1);
  const Dataset data = ring(30);
  const auto method = bemkl(few_widths());
  const std::array<std::size_t, 1> setting = {0};
  for (const int calls : {0, 3, 50}) {
    int left = calls;
    EXPECT_THROW(method->train(data, signs(data), setting, workers, [&] { return left-- == 0; }),
                 Stopped);
  }
}

TEST(Bemkl, ConstantFeaturesAndViewsDoNoHarm) {
  Workers workers(2);
  Dataset all = ring(260);
  DenseMatrix with_constant(all.instances(), 7);
  with_constant << all.views[0].dense(), Vector::Constant(all.instances(), 3.5);
  all.views[0].values = with_constant;
  View constant = all.views[0];
  constant.values = DenseMatrix(DenseMatrix::Constant(all.instances(), 2, -1));
  all.views.push_back(constant);
  const Split data = split(all, 100);
  for (const BemklPrior prior : priors) {
    BemklOptions options = few_widths();
    options.prior = prior;
    options.sweeps = 20;
    EXPECT_GT(accuracy(*train(options, data.training, workers), data.test, workers), 0.8);
  }
}

TEST(Bemkl, NothingButAConstantIsNoError) {
  Workers workers(1);
  Dataset data = ring(20);
  data.views.resize(1);
  data.views[0].values = DenseMatrix(DenseMatrix::Constant(20, 2, -1));
  for (const BemklPrior prior : priors) {
    BemklOptions options;
    options.prior = prior;
    const Vector scores = train(options, data, workers)->scores(data, workers);
    EXPECT_TRUE(scores.allFinite());
    EXPECT_TRUE(scores.isApproxToConstant(scores[0], 1e-9));
  }
}

TEST(Bemkl, RepeatedInstancesDoNoHarm) {
  Workers workers(2);
  const Split data = split(ring(260), 60);
  std::vector<Index> twice;
  for (Index n = 0; n < 120; ++n) twice.push_back(n / 2);
  for (const BemklPrior prior : priors) {
    BemklOptions options;
    options.prior = prior;
    options.sweeps = 20;
    const auto machine = train(options, data.training.select(twice), workers);
    EXPECT_GT(accuracy(*machine, data.test, workers), 0.75);
  }
}

TEST(Bemkl, TwoInstancesAreEnough) {
  Workers workers(2);
  const Dataset data = ring(30);
  const Vector y = signs(data);
  Index other = 1;
  while (y[other] == y[0]) ++other;
  const Dataset pair = data.select({0, other});
  for (const BemklPrior prior : priors) {
    BemklOptions options;
    options.prior = prior;
    const auto machine = train(options, pair, workers);
    EXPECT_EQ(accuracy(*machine, pair, workers), 1);
    EXPECT_TRUE(machine->scores(data, workers).allFinite());
  }
}

TEST(Bemkl, EndsWhenTheBoundHardlyRises) {
  Workers workers(1);
  const Dataset data = ring(40);
  BemklOptions early = few_widths(), exactly = few_widths(), all = few_widths();
  early.tolerance = 1e6;  // reached at the first sweep that has one before it
  exactly.sweeps = 2;
  const Vector scores = train(early, data, workers)->scores(data, workers);
  EXPECT_EQ(scores, train(exactly, data, workers)->scores(data, workers));
  EXPECT_NE(scores, train(all, data, workers)->scores(data, workers));
}

TEST(Bemkl, SaysWhatItIs) {
  const auto method = bemkl();
  EXPECT_EQ(method->settings(), 1);
  EXPECT_EQ(method->describe(0), "s = 2^-10 … 2^10, none below 0.25 of a view's median distance");
  EXPECT_EQ(bemkl({.least_width = 0})->describe(0), "s = 2^-10 … 2^10");
  // Distances of two views, T and its factor.
  EXPECT_GT(method->bytes({1000, {20, 30}}, 1), 4 * 8e6);
  EXPECT_LT(method->bytes({100000, {20, 30}}, 1), 4.1 * 8e10);
  // Each thread has an instance's kernel values.
  EXPECT_GT(method->bytes({1000, {20, 30}}, 5) - method->bytes({1000, {20, 30}}, 1),
            4 * 8 * 1000 * 42);
}

TEST(Bemkl, RefusesOptionsThatMakeNoSense) {
  EXPECT_THROW(bemkl({.narrowest = 1, .widest = 0}), BadUsage);
  EXPECT_THROW(bemkl({.denominator = 0}), BadUsage);
  EXPECT_THROW(bemkl({.noise = 0}), BadUsage);
  EXPECT_THROW(bemkl({.margin = -1}), BadUsage);
  EXPECT_THROW(bemkl({.sweeps = 0}), BadUsage);
  EXPECT_THROW(bemkl({.tolerance = -1}), BadUsage);
}

}  // namespace
}  // namespace m3lak
