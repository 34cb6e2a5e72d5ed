#include "rivals/mvmed/mvmed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "m3lak/error.h"
#include "numeric/distributions.h"
#include "rivals/distances.h"
#include "rivals/examples.h"
#include "rivals/mvmed/exchanges.h"
#include "rivals/mvmed/kernels.h"
#include "rivals/mvmed/solver.h"
#include "rivals/svm/solver.h"

namespace m3lak {
namespace {

using med::CachedKernels;
using med::Exchanges;
using med::Kernels;
using med::Rules;
using med::Solver;
using med::WholeKernels;

Workers alone(1);

constexpr Rules exactly = {.tolerance = 1e-9};
constexpr Rules exactly_in_box = {.box = true, .tolerance = 1e-9};

/// Two classes that overlap, in views of two features and a Gaussian kernel of width 1.
struct Problem {
  std::vector<DenseMatrix> rows;
  std::vector<Matrix> K;
  Vector y;
};

std::vector<Matrix> kernels_of(const std::vector<DenseMatrix>& rows, double width) {
  Workers workers(1);
  std::vector<Matrix> K;
  for (const DenseMatrix& x : rows) {
    K.push_back(gaussian_kernel(workers, squared_distances(workers, x), width));
  }
  return K;
}

Problem problem(Index instances, Index views, double distance = 1) {
  Problem p;
  p.y.resize(instances);
  // Two of three are of the first class, so that no bias is 0.
  for (Index t = 0; t < instances; ++t) p.y[t] = t % 3 == 0 ? 1 : -1;
  Stream stream({.seed = 3});
  for (Index v = 0; v < views; ++v) {
    DenseMatrix x(instances, 2);
    for (Index t = 0; t < instances; ++t) {
      for (Index d = 0; d < 2; ++d) x(t, d) = normal(stream) + distance * p.y[t];
    }
    p.rows.push_back(x);
  }
  p.K = kernels_of(p.rows, 1);
  return p;
}

struct Found {
  Matrix lambda;  ///< one column a view
  Vector slack;
  Matrix f;  ///< of the training instances
  Vector b;
};

Found found_by(const Solver& solver, const std::vector<Matrix>& K, const Vector& y) {
  Found found{solver.lambda(), solver.slack(), Matrix(y.size(), std::ssize(K)), solver.biases()};
  for (Index v = 0; v < std::ssize(K); ++v) {
    found.f.col(v) = K[static_cast<std::size_t>(v)] * y.cwiseProduct(found.lambda.col(v));
    found.f.col(v).array() += found.b[v];
  }
  return found;
}

Found solve(const std::vector<Matrix>& K, const Vector& y, double c, const Rules& rules) {
  WholeKernels kernels(alone, K);
  Solver solver(alone, kernels, y, rules);
  solver.set_c(c);
  solver.solve();
  return found_by(solver, K, y);
}

/// ½ Σ_v λ_vᵀ K_v λ_v, with signs: half of the discriminants' squared norms.
double half_norms(const std::vector<Matrix>& K, const Vector& y, const Matrix& lambda) {
  double sum = 0;
  for (Index v = 0; v < std::ssize(K); ++v) {
    const Vector weights = y.cwiseProduct(lambda.col(v));
    sum += weights.dot(K[static_cast<std::size_t>(v)] * weights) / 2;
  }
  return sum;
}

double dual(const Problem& p, const Matrix& lambda, double c, bool box = false) {
  double sum = lambda.sum() - half_norms(p.K, p.y, lambda);
  for (Index t = 0; t < p.y.size() && !box; ++t) sum += std::log1p(-lambda.row(t).sum() / c);
  return sum;
}

/// u_t = 1 - min_v y_t f_v(x_t).
Vector shortfalls(const Problem& p, const Found& found) {
  return 1 - (p.y.asDiagonal() * found.f).rowwise().minCoeff().array();
}

double primal(const Problem& p, const Found& found, double c, bool box = false) {
  double sum = half_norms(p.K, p.y, found.lambda);
  for (const double u : shortfalls(p, found)) {
    if (box) {
      sum += c * std::max(0.0, u);
    } else if (c * u > 1) {
      sum += c * u - 1 - std::log(c * u);
    }
  }
  return sum;
}

/// The same problem with b_v ~ N(0, variance) by another solver: ascent in one λ at a time, in
/// closed form. Stationary is (B - A x)(r - x) = 1.
Matrix coordinate_ascent(const Problem& p, double c, double variance) {
  Matrix lambda = Matrix::Zero(p.y.size(), std::ssize(p.K)), F = lambda;
  double change = 1;
  for (int sweep = 0; sweep < 20000 && change > 1e-13; ++sweep) {
    change = 0;
    for (Index v = 0; v < lambda.cols(); ++v) {
      const Matrix K = p.K[static_cast<std::size_t>(v)].array() + variance;
      for (Index t = 0; t < lambda.rows(); ++t) {
        const double old = lambda(t, v), A = K(t, t), r = c - (lambda.row(t).sum() - old);
        const double B = 1 - p.y[t] * (F(t, v) - A * old * p.y[t]);
        const double root = std::sqrt((B - A * r) * (B - A * r) + 4 * A);
        lambda(t, v) = std::max(0.0, (B + A * r - root) / (2 * A));
        F.col(v) += (lambda(t, v) - old) * p.y[t] * K.col(t);
        change = std::max(change, std::abs(lambda(t, v) - old));
      }
    }
  }
  return lambda;
}

double dual_with_variance(const Problem& p, const Matrix& lambda, double c, double variance) {
  return dual(p, lambda, c) - variance / 2 * (lambda.transpose() * p.y).squaredNorm();
}

double largest_difference(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

TEST(MvmedSolver, PrimalMeetsDual) {
  const Problem p = problem(45, 3);
  for (const double c : {2.0, 8.0, 32.0}) {
    const Found found = solve(p.K, p.y, c, exactly);
    const double gap = primal(p, found, c) - dual(p, found.lambda, c);
    EXPECT_GE(gap, -1e-9) << c;
    EXPECT_LE(gap, 1e-6) << c;
    EXPECT_GE(found.lambda.minCoeff(), 0) << c;
    EXPECT_LE((found.lambda.transpose() * p.y).cwiseAbs().maxCoeff(), 1e-10) << c;
    EXPECT_GT(found.lambda.sum(), 1) << c;
  }
}

// A Gaussian bias relaxes the constraint, and the flat bias's discriminants are among its
// candidates at a cost of b²/(2 variance): D ≤ D' ≤ D + Σ_v b_v²/(2 variance).
TEST(MvmedSolver, DualIsThatOfAnotherSolver) {
  const Problem p = problem(30, 2);
  for (const double c : {2.0, 8.0}) {
    const Found found = solve(p.K, p.y, c, exactly);
    const double D = dual(p, found.lambda, c);
    for (const double variance : {1.0, 100.0}) {
      const Matrix other = coordinate_ascent(p, c, variance);
      const double more = dual_with_variance(p, other, c, variance) - D;
      EXPECT_GE(more, -1e-7);
      EXPECT_LE(more, found.b.squaredNorm() / (2 * variance) + 1e-7);
    }
    EXPECT_GT(found.b.squaredNorm(), 1e-3);
  }
}

// If (-x, -y) is there for each (x, y), biases are 0, and their prior is all the same.
TEST(MvmedSolver, DualIsThatOfAnotherSolverIfBiasesAreZero) {
  Problem p = problem(30, 2);
  for (DenseMatrix& x : p.rows) x.bottomRows(15) = -x.topRows(15);
  p.y.tail(15) = -p.y.head(15);
  p.K = kernels_of(p.rows, 1);
  const Found found = solve(p.K, p.y, 8, exactly);
  const Matrix other = coordinate_ascent(p, 8, 1);
  EXPECT_LE(found.b.cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_NEAR(dual(p, found.lambda, 8), dual_with_variance(p, other, 8, 1), 1e-7);
  EXPECT_LE(largest_difference(found.lambda, other), 1e-4);
}

TEST(MvmedSolver, NothingIsToBeDoneIfThePriorMarginIsNotPositive) {
  const Problem p = problem(30, 2);
  for (const double c : {0.03, 0.5, 1.0}) {
    const Found found = solve(p.K, p.y, c, exactly);
    EXPECT_EQ(found.lambda, Matrix::Zero(30, 2)) << c;
    EXPECT_EQ(found.f, Matrix::Zero(30, 2)) << c;
  }
  EXPECT_GT(solve(p.K, p.y, 1.01, exactly).lambda.sum(), 0);
}

// The nearest instances of both classes are (2, 0) and (0, 0): f = x_1 - 1.
TEST(MvmedSolver, LargeCMakesTheMarginHard) {
  const Matrix x = (Matrix(6, 2) << 2, 0, 3, 1, 4, -2, 0, 0, -1, 2, -1, -1).finished();
  const Vector y = (Vector(6) << 1, 1, 1, -1, -1, -1).finished();
  const Found found = solve({x * x.transpose()}, y, 1e6, exactly);
  EXPECT_LE(largest_difference(found.f, x.col(0).array() - 1), 1e-5);
}

// What is feasible and complementary is the widest margin.
TEST(MvmedSolver, LargeCMakesTheMarginHardWithGaussianKernels) {
  const Problem p = problem(40, 1, 2.5);
  const Found found = solve(p.K, p.y, 1e6, exactly);
  const Vector margins = p.y.cwiseProduct(found.f);
  EXPECT_GE(margins.minCoeff(), 1 - 1e-5);
  for (Index t = 0; t < 40; ++t) {
    if (found.lambda(t) <= 1e-6) continue;
    EXPECT_NEAR(margins[t], 1, 1e-5);
  }
  EXPECT_GT(found.lambda.maxCoeff(), 0.1);
}

TEST(MvmedSolver, OneViewSeveralTimesIsOneViewWithLess) {
  const Problem p = problem(40, 1);
  for (const Index times : {2, 3}) {
    const auto V = static_cast<double>(times);
    const std::vector<Matrix> copies(static_cast<std::size_t>(times), p.K[0]);
    const Found one = solve({p.K[0] / V}, p.y, 8, {.tolerance = 1e-10});
    const Found several = solve(copies, p.y, 8, {.tolerance = 1e-10});
    for (Index v = 0; v < times; ++v) {
      EXPECT_LE(largest_difference(several.f.col(v), one.f), 1e-8) << times;
    }
  }
}

TEST(MvmedSolver, WeightsFollowFromTheShortfalls) {
  const Problem p = problem(45, 2);
  for (const double c : {2.0, 16.0}) {
    const Found found = solve(p.K, p.y, c, exactly);
    const Vector s = found.lambda.rowwise().sum(), u = shortfalls(p, found);
    EXPECT_LE(largest_difference(s + found.slack, Vector::Constant(45, c)), 1e-11);
    for (Index t = 0; t < 45; ++t) {
      EXPECT_LT(s[t], c);
      // The slope of s in u is (c - s)², of which the tolerance is a multiple.
      EXPECT_NEAR(s[t], u[t] > 0 ? std::max(0.0, c - 1 / u[t]) : 0, 2e-8 * c * c);
    }
  }
}

TEST(MvmedSolver, EachStepGoesUp) {
  const Problem p = problem(30, 2);
  for (const bool box : {false, true}) {
    WholeKernels kernels(alone, p.K);
    Solver solver(alone, kernels, p.y, {.box = box, .tolerance = 1e-6});
    solver.set_c(8);
    double before = 0;
    int steps = 0;
    while (solver.step()) {
      const double now = dual(p, solver.lambda(), 8, box);
      ASSERT_GE(now, before - 1e-11) << "step " << steps;
      before = now;
      ASSERT_LT(++steps, 10000);
    }
    EXPECT_GT(steps, 30);
    EXPECT_GT(before, 1);
  }
}

TEST(MvmedSolver, OrderOfViewsDoesNotMatter) {
  Problem p = problem(40, 3);
  const Found forth = solve(p.K, p.y, 8, exactly);
  std::ranges::reverse(p.K);
  const Found back = solve(p.K, p.y, 8, exactly);
  EXPECT_LE(largest_difference(forth.f, back.f.rowwise().reverse()), 1e-7);
  EXPECT_GT(largest_difference(forth.f, back.f), 0.1);
}

TEST(MvmedSolver, TheStartDoesNotMatter) {
  const Problem p = problem(40, 2);
  for (const bool box : {false, true}) {
    WholeKernels kernels(alone, p.K);
    Solver solver(alone, kernels, p.y, {.box = box, .tolerance = 1e-9});
    for (const double c : {2.0, 4.0, 16.0}) {
      solver.set_c(c);
      solver.solve();
      const Found cold = solve(p.K, p.y, c, {.box = box, .tolerance = 1e-9});
      const Found warm = found_by(solver, p.K, p.y);
      EXPECT_LE(largest_difference(warm.f, cold.f), 1e-6) << c;
      EXPECT_NEAR(dual(p, warm.lambda, c, box), dual(p, cold.lambda, c, box), 1e-7) << c;
    }
  }
}

TEST(MvmedSolver, KernelsNeedNotBeKept) {
  const Problem p = problem(40, 2);
  CachedKernels some(alone, p.rows, {1, 1}, 7);
  Solver with_some(alone, some, p.y, exactly);
  with_some.set_c(8);
  with_some.solve();
  const Found found = found_by(with_some, p.K, p.y);
  EXPECT_LE(largest_difference(found.f, solve(p.K, p.y, 8, exactly).f), 1e-7);
}

TEST(MvmedSolver, CanEndEarlyOrBeStopped) {
  const Problem p = problem(40, 2);
  WholeKernels kernels(alone, p.K);
  Solver solver(alone, kernels, p.y, {.most_steps = 1});
  solver.set_c(8);
  solver.solve();
  EXPECT_EQ((solver.lambda().array() > 0).count(), 2);
  EXPECT_THROW(solver.solve([] { return true; }), Stopped);
}

TEST(MvmedKernels, AreTheSameWholeOrNot) {
  const Problem p = problem(30, 2);
  WholeKernels whole(alone, p.K);
  CachedKernels some(alone, p.rows, {1, 1}, 3);
  // The two that were asked for last are valid, whatever was thrown out.
  for (Index i = 0; i < 60; ++i) {
    const Index v = i % 2, a = (7 * i) % 30, b = (11 * i + 3) % 30;
    const auto of_a = some.column(v, a), of_b = some.column(v, b);
    EXPECT_LE(largest_difference(of_a, whole.column(v, a)), 1e-14);
    EXPECT_LE(largest_difference(of_b, whole.column(v, b)), 1e-14);
  }
  Vector weights = p.y;
  weights.head(10).setZero();
  EXPECT_LE(largest_difference(some.sums(1, weights), whole.sums(1, weights)), 1e-13);
  EXPECT_EQ(some.sums(0, Vector::Zero(30)), Vector::Zero(30));
}

// More instances than a block has, and more features than are multiplied at once.
TEST(MvmedKernels, AreTheSameToTheLastBit) {
  constexpr Index N = 1205;
  DenseMatrix x(N, 131);
  Stream stream({.seed = 5});
  fill_normal(stream, {x.data(), static_cast<std::size_t>(x.size())});
  const std::vector<DenseMatrix> rows = {x};
  Workers two(2);
  const Matrix K = med::kernel(two, med::Distances(x).all(two), 9);
  EXPECT_TRUE(K.isApprox(K.transpose(), 1e-14));
  EXPECT_EQ(K.diagonal(), Vector::Ones(N));
  EXPECT_LE(largest_difference(K, kernels_of(rows, 9)[0]), 1e-13);
  WholeKernels whole(alone, {K});
  CachedKernels some(two, rows, {9}, 3);
  for (const Index i : {0, 7, 600, 1023, 1024, 1204}) {
    EXPECT_TRUE((some.column(0, i).array() == K.col(i).array()).all()) << i;
  }
  EXPECT_TRUE((some.sums(0, x.col(0)).array() == whole.sums(0, x.col(0)).array()).all());
}

// So many instances that several workers look for a step.
TEST(MvmedSolver, TakesTheSameStepsWithWorkersAndWithoutWholeKernels) {
  Problem p;
  p.y = Vector::Ones(4500);
  DenseMatrix x(p.y.size(), 3);
  Stream stream({.seed = 5});
  fill_normal(stream, {x.data(), static_cast<std::size_t>(x.size())});
  for (Index t = 0; t < p.y.size(); ++t) p.y[t] = x.row(t).squaredNorm() > 2 ? 1 : -1;
  p.rows = {x};
  const auto lambda = [&](Workers& workers, Kernels& kernels) {
    Solver solver(workers, kernels, p.y, {.most_steps = 300});
    solver.set_c(8);
    solver.solve();
    return Matrix(solver.lambda());
  };
  Workers two(2);
  WholeKernels whole(alone, {med::kernel(two, med::Distances(x).all(two), 0.7)});
  CachedKernels some(two, p.rows, {0.7}, 50);
  const Matrix expected = lambda(alone, whole);
  EXPECT_GT((expected.array() > 0).count(), 100);
  EXPECT_TRUE((lambda(two, whole).array() == expected.array()).all());
  EXPECT_TRUE((lambda(two, some).array() == expected.array()).all());
}

TEST(MvmedBox, OneViewIsTheSupportVectorMachine) {
  const Problem p = problem(60, 1);
  std::vector<int> labels;
  std::vector<Index> all;
  for (Index t = 0; t < 60; ++t) {
    labels.push_back(p.y[t] > 0 ? 1 : 0);
    all.push_back(t);
  }
  KernelSvm svm(labels, 2);
  svm.set_kernel(p.K[0]);
  for (const double c : {0.25, 1.0, 16.0}) {
    const Found found = solve(p.K, p.y, c, exactly_in_box);
    // LIBSVM's own tolerance is 1e-3.
    EXPECT_LE(largest_difference(found.f, svm.train(all, c).scores(p.K[0])), 5e-3) << c;
    EXPECT_LE(found.lambda.maxCoeff(), c);
  }
}

// With pairs of one view alone, it would get stuck where instances have given away all of c.
TEST(MvmedBox, PrimalMeetsDual) {
  for (const Index views : {2, 4}) {
    const Problem p = problem(45, views);
    for (const double c : {0.25, 1.0, 8.0}) {
      const Found found = solve(p.K, p.y, c, exactly_in_box);
      const double gap = primal(p, found, c, true) - dual(p, found.lambda, c, true);
      EXPECT_GE(gap, -1e-9) << c;
      EXPECT_LE(gap, 1e-5) << c;
      EXPECT_GE(found.lambda.minCoeff(), 0) << c;
      EXPECT_LE(found.lambda.rowwise().sum().maxCoeff(), c * (1 + 1e-12));
      EXPECT_LE((found.lambda.transpose() * p.y).cwiseAbs().maxCoeff(), 1e-10) << c;
    }
  }
}

TEST(MvmedExchanges, FindTheSteepestCycle) {
  Exchanges exchanges(3);
  EXPECT_TRUE(exchanges.steepest_cycle().empty());
  const auto set = [&](Index from, Index to, double slope) {
    exchanges(from, to) = {10 * from + to, from, to, slope};
  };
  set(0, 1, 1);
  set(1, 0, 0.5);  // mean 0.75
  set(1, 2, 2);
  set(2, 0, -0.5);  // 0 → 1 → 2 → 0: mean 2.5/3
  const med::Cycle cycle = exchanges.steepest_cycle();
  ASSERT_EQ(cycle.size(), 3U);
  EXPECT_DOUBLE_EQ(med::slope_of(cycle), 2.5);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(cycle[k].to, cycle[(k + 1) % 3].from);
    EXPECT_EQ(cycle[k].instance, 10 * cycle[k].from + cycle[k].to);
  }
  set(2, 1, 0);  // 1 → 2 → 1: mean 1
  EXPECT_EQ(exchanges.steepest_cycle().size(), 2U);
  EXPECT_DOUBLE_EQ(med::slope_of(exchanges.steepest_cycle()), 2);
}

TEST(MvmedExchanges, HavePotentialsIfNoCycleGoesUp) {
  Exchanges exchanges(3);
  const Matrix slopes = (Matrix(3, 3) << 0, 1, 1, -2, 0, 1, -6, -4, 0).finished();
  for (Index from = 0; from < 3; ++from) {
    for (Index to = 0; to < 3; ++to) exchanges(from, to) = {0, from, to, slopes(from, to)};
  }
  const Vector b = exchanges.potentials();
  EXPECT_EQ(b[0], 0);
  EXPECT_DOUBLE_EQ(b[1], 1.5);  // between 1 and 2
  EXPECT_DOUBLE_EQ(b[2], 4);    // between 2, by way of 1, and 6
  for (Index from = 0; from < 3; ++from) {
    for (Index to = 0; to < 3; ++to) EXPECT_GE(b[to] - b[from], slopes(from, to));
  }
}

std::vector<std::size_t> all_settings(const Rival& rival) {
  std::vector<std::size_t> all(rival.settings());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// Scores of test instances, one column a setting.
Matrix scores_of(const MvmedOptions& options, const Dataset& training, const Dataset& test,
                 int threads = 1) {
  const std::unique_ptr<Rival> rival = mvmed(options);
  Workers workers(threads);
  const auto machines = rival->train(training, signs(training), all_settings(*rival), workers, {});
  Matrix scores(test.instances(), std::ssize(machines));
  for (Index i = 0; i < scores.cols(); ++i) {
    scores.col(i) = machines[static_cast<std::size_t>(i)]->scores(test, workers);
  }
  return scores;
}

std::vector<Index> rows(Index begin, Index end) {
  std::vector<Index> all(static_cast<std::size_t>(end - begin));
  std::iota(all.begin(), all.end(), begin);
  return all;
}

struct Halves {
  explicit Halves(const Dataset& data)
      : training(data.select(rows(0, 150))), test(data.select(rows(150, data.instances()))) {}
  Dataset training, test;
};

double accuracy(const Vector& scores, const Dataset& test) {
  return (scores.array() * signs(test).array() > 0).cast<double>().mean();
}

const MvmedOptions one_setting = {.c = {8}, .f = {0.5}};

TEST(Mvmed, LearnsWhatIsNotLinear) {
  const Halves halves(ring(300));
  for (const bool box : {false, true}) {
    const Matrix scores =
        scores_of({.c = {8, 32}, .f = {0.25, 0.5}, .box = box}, halves.training, halves.test);
    for (Index i = 0; i < 4; ++i) EXPECT_GT(accuracy(scores.col(i), halves.test), 0.85) << i;
  }
}

TEST(Mvmed, TakesGaps) {
  const Halves halves(ring(300, 0.1));
  const Matrix scores = scores_of(one_setting, halves.training, halves.test);
  EXPECT_TRUE(scores.allFinite());
  EXPECT_GT(accuracy(scores, halves.test), 0.7);
}

TEST(Mvmed, NamesItsSettings) {
  const std::unique_ptr<Rival> rival = mvmed();
  ASSERT_EQ(rival->settings(), 35U);
  EXPECT_EQ(rival->describe(0), "c = 2, f = 1/8");
  EXPECT_EQ(rival->describe(34), "c = 32, f = 8");
  EXPECT_EQ(mvmed({.c = {0.5}, .f = {0.3}})->describe(0), "c = 0.5, f = 0.3");
}

TEST(Mvmed, IsTheSameForAnyNumberOfWorkers) {
  const Halves halves(ring(220));
  const Dataset training = halves.training.select(rows(0, 60));
  for (const double memory : {0x1p30, 100e3}) {
    const MvmedOptions options = {.c = {2, 8}, .memory = memory};
    EXPECT_EQ(scores_of(options, training, halves.test, 1),
              scores_of(options, training, halves.test, 2));
  }
}

// Once all at once, once a few at a time, once without whole kernels.
TEST(Mvmed, MemoryDoesNotChangeTheResult) {
  const Halves halves(ring(220));
  const Dataset training = halves.training.select(rows(0, 60));
  MvmedOptions options = {.c = {2, 8}, .f = {0.25, 0.5, 1}};
  const Matrix scores = scores_of(options, training, halves.test);
  const double kernels = 8 * 60 * 60 * 2;
  options.memory = 3 * kernels;
  EXPECT_EQ(scores, scores_of(options, training, halves.test));
  options.memory = kernels;
  EXPECT_EQ(scores, scores_of(options, training, halves.test, 2));
}

// Those trained before it are where a machine starts from, but not where it ends.
TEST(Mvmed, SettingsMayBeAskedForInAnyOrder) {
  const Halves halves(ring(220));
  const MvmedOptions options = {.c = {8, 2}, .f = {1, 0.5}, .tolerance = 1e-8};
  const Matrix scores = scores_of(options, halves.training, halves.test);
  const std::unique_ptr<Rival> rival = mvmed(options);
  Workers workers(1);
  const std::vector<std::size_t> settings = {3, 0};  // c = 2, f = 1/2; c = 8, f = 1
  const auto machines =
      rival->train(halves.training, signs(halves.training), settings, workers, {});
  ASSERT_EQ(machines.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Vector of_setting = machines[i]->scores(halves.test, workers);
    const auto column = scores.col(static_cast<Index>(settings[i]));
    EXPECT_LE(largest_difference(of_setting, column), 1e-6);
  }
  EXPECT_GT(largest_difference(scores.col(0), scores.col(3)), 0.1);
}

TEST(Mvmed, SmallCIsTheLargerClass) {
  const Dataset data = ring(100);
  std::vector<Index> second, mixed;
  for (Index n = 0; n < 100; ++n) (signs(data)[n] > 0 ? second : mixed).push_back(n);
  mixed.resize(10);
  EXPECT_LT(scores_of({.c = {0.5, 1}}, data.select(mixed), data).maxCoeff(), 0);
  mixed.insert(mixed.end(), second.begin(), second.begin() + 11);
  EXPECT_GT(scores_of({.c = {0.5, 1}}, data.select(mixed), data).minCoeff(), 0);
  // Not so in the box.
  const Matrix in_box = scores_of({.c = {0.5}, .f = {0.5}, .box = true}, data, data);
  EXPECT_GT(accuracy(in_box, data), 0.7);
}

TEST(Mvmed, CanBeStopped) {
  const Dataset data = ring(60);
  const std::unique_ptr<Rival> rival = mvmed();
  Workers workers(2);
  for (const int after : {0, 5, 20}) {
    std::atomic<int> calls = 0;
    const auto stop = [&] { return calls++ >= after; };
    EXPECT_THROW(rival->train(data, signs(data), all_settings(*rival), workers, stop), Stopped);
  }
}

TEST(Mvmed, ConstantFeaturesAndViewsDoNoHarm) {
  const Halves halves(ring(220));
  const Matrix scores = scores_of(one_setting, halves.training, halves.test);
  const auto with_constants = [](Dataset data) {
    auto& values = std::get<DenseMatrix>(data.views[0].values);
    values.conservativeResize(Eigen::NoChange, values.cols() + 1);
    values.rightCols(1).setConstant(3);
    View constant;
    constant.values = DenseMatrix(DenseMatrix::Constant(data.instances(), 4, 7));
    data.views.insert(data.views.begin(), constant);
    return data;
  };
  const Matrix others =
      scores_of(one_setting, with_constants(halves.training), with_constants(halves.test));
  EXPECT_LE(largest_difference(scores, others), 1e-6);
}

TEST(Mvmed, NothingButConstantsIsTheLargerClass) {
  Dataset data = ring(20);
  for (View& view : data.views) std::get<DenseMatrix>(view.values).setConstant(1);
  const Matrix scores = scores_of({}, data, data);
  EXPECT_EQ(scores.minCoeff(), scores.maxCoeff());
  EXPECT_EQ(scores(0) > 0, signs(data).sum() > 0);
}

TEST(Mvmed, TwoInstancesSuffice) {
  const Dataset data = ring(40);
  Index first = 0, second = 0;
  while (signs(data)[first] > 0) ++first;
  while (signs(data)[second] < 0) ++second;
  const Dataset two = data.select({first, second});
  for (const bool box : {false, true}) {
    const Matrix scores = scores_of({.box = box}, two, two);
    EXPECT_TRUE((scores.row(0).array() < 0).all());
    EXPECT_TRUE((scores.row(1).array() > 0).all());
  }
}

TEST(Mvmed, SaysHowMuchMemoryItNeeds) {
  const std::unique_ptr<Rival> rival = mvmed();
  // Distances and seven kernels of both views.
  EXPECT_GT(rival->bytes({160, {20, 30}}, 1), 8 * 160 * 160 * 2 * 8);
  EXPECT_LT(rival->bytes({160, {20, 30}}, 1), 2e7);
  const double views = 8 * 1e5 * 50;
  EXPECT_GT(rival->bytes({100'000, {20, 30}}, 1), 0.9 * 0x1p30 + views);
  EXPECT_LT(rival->bytes({100'000, {20, 30}}, 1), 1.3 * 0x1p30 + 4 * views);
}

TEST(Mvmed, KeepsWholeKernelsWhereThereIsMemory) {
  const Size nus_wide = {10'000, {64, 144, 73, 128, 225}};
  const double kernels = 8 * 1e8 * 5;
  const std::unique_ptr<Rival> rival = mvmed();
  EXPECT_LT(rival->bytes(nus_wide, 1), kernels);
  const auto with = rival->with_memory(12e9);
  ASSERT_TRUE(with);
  EXPECT_GT(with->bytes(nus_wide, 1), 2 * kernels);  // with the distances
  EXPECT_LT(with->bytes(nus_wide, 1), 12.2e9);       // with the views
  EXPECT_FALSE(mvmed({.memory = 1e9})->with_memory(12e9));
}

TEST(Mvmed, ChecksItsOptions) {
  EXPECT_THROW(mvmed({.c = {}}), BadUsage);
  EXPECT_THROW(mvmed({.c = {2, -1}}), BadUsage);
  EXPECT_THROW(mvmed({.f = {0}}), BadUsage);
  EXPECT_THROW(mvmed({.tolerance = 0}), BadUsage);
  EXPECT_THROW(mvmed({.most_steps = 0}), BadUsage);
  EXPECT_THROW(mvmed({.memory = -1}), BadUsage);
}

}  // namespace
}  // namespace m3lak
