#include "rivals/vmrml/vmrml.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "m3lak/error.h"
#include "numeric/distributions.h"
#include "rivals/distances.h"
#include "rivals/examples.h"
#include "rivals/standard_views.h"
#include "rivals/vmrml/lu.h"
#include "rivals/vmrml/solvers.h"

namespace m3lak {
namespace {

using Solver = VmrmlOptions::Solver;
using Laplacian = VmrmlOptions::Laplacian;

Matrix normals(Index rows, Index columns, std::uint64_t seed) {
  Stream stream({.seed = seed});
  Matrix x(rows, columns);
  fill_normal(stream, {x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

/// Random points in a few dimensions, their kernels in some views, and labels of which the first
/// view knows something.
struct Problem {
  std::vector<Matrix> K;
  Vector c, y;
  VmrmlOptions options;

  Index views() const { return c.size(); }
  Index points() const { return y.size(); }

  Matrix solve(int threads = 1) const {
    Workers workers(threads);
    const auto kernel = [this](Index i) { return K[static_cast<std::size_t>(i)]; };
    return solve_vmrml(workers, {kernel, c, y, options}, {});
  }

  Matrix solve_by(Solver solver) const {
    Problem other = *this;
    other.options.solver = solver;
    return other.solve();
  }

  /// F_i = K_i a_i, one column a view.
  Matrix outputs(const Matrix& a) const {
    Matrix F(a.rows(), a.cols());
    for (Index i = 0; i < views(); ++i) F.col(i) = K[static_cast<std::size_t>(i)] * a.col(i);
    return F;
  }

  /// L_i, element by element from its definition.
  Matrix graph(Index i) const {
    const Matrix& W = K[static_cast<std::size_t>(i)];
    const Vector d = W.rowwise().sum();
    Matrix L(W.rows(), W.cols());
    for (Index j = 0; j < L.rows(); ++j) {
      for (Index k = 0; k < L.cols(); ++k) {
        const bool is_plain = options.laplacian == Laplacian::plain;
        const double own = j == k ? (is_plain ? d[j] : 1) : 0;
        L(j, k) = own - (is_plain ? W(j, k) : W(j, k) / std::sqrt(d[j] * d[k]));
      }
    }
    return L;
  }

  double labelled() const { return static_cast<double>((y.array() != 0).count()); }

  /// What is minimised, term by term.
  double objective(const Matrix& a) const {
    const Matrix F = outputs(a);
    double loss = 0, norms = 0, between = 0, within = 0;
    for (Index j = 0; j < points(); ++j) {
      if (y[j] != 0) loss += std::pow(y[j] - F.row(j).dot(c), 2);
      for (Index i = 0; i < views(); ++i) {
        for (Index k = i + 1; k < views(); ++k) between += std::pow(F(j, i) - F(j, k), 2);
      }
    }
    for (Index i = 0; i < views(); ++i) {
      norms += a.col(i).dot(F.col(i));
      within += F.col(i).dot(graph(i) * F.col(i));
    }
    return loss / labelled() + options.gA * norms + options.gB * between + options.gW * within;
  }

  /// The largest difference between both sides of the stationarity equations, relative to the
  /// largest of their terms.
  double stationarity_error(const Matrix& a) const {
    const Matrix F = outputs(a);
    const double l = labelled(), m = static_cast<double>(views());
    const Vector sum = F.rowwise().sum(), J = (y.array() != 0).cast<double>();
    double error = 0, scale = 0;
    for (Index i = 0; i < views(); ++i) {
      const Vector left = l * options.gA * a.col(i);
      const Vector target = c[i] * y, output = c[i] * J.cwiseProduct(F * c);
      const Vector between = l * options.gB * (m * F.col(i) - sum);
      const Vector within = l * options.gW * (graph(i) * F.col(i));
      error = std::max(error, (left - target + output + between + within).cwiseAbs().maxCoeff());
      for (const Vector* term : {&left, &target, &output, &between, &within}) {
        scale = std::max(scale, term->cwiseAbs().maxCoeff());
      }
    }
    return error / scale;
  }
};

Problem problem(Index views, Index points, Index unlabelled = 0) {
  Problem p;
  Workers workers(1);
  for (Index i = 0; i < views; ++i) {
    const DenseMatrix x = normals(points, 3, static_cast<std::uint64_t>(i) + 1);
    if (i == 0) p.y = (x.col(0).array() * x.col(1).array() > 0).select(Vector::Ones(points), -1);
    const Matrix d = squared_distances(workers, x);
    p.K.push_back(gaussian_kernel(workers, d, median_distance(d) / 2));
  }
  p.y.tail(unlabelled).setZero();
  p.c = Vector::Constant(views, 1 / static_cast<double>(views));
  p.options.gA = 1e-3;
  p.options.gB = 2e-3;
  p.options.gW = 3e-3;
  return p;
}

/// The same for each way to weigh views, kind of graph, solver, and number of unlabelled points.
template <class Check>
void for_each_variant(const Check& check) {
  for (const Solver solver : {Solver::block, Solver::full}) {
    for (const Laplacian laplacian : {Laplacian::normalised, Laplacian::plain}) {
      for (const bool is_uniform : {true, false}) {
        for (const Index unlabelled : {Index{0}, Index{12}}) {
          Problem p = problem(3, 40, unlabelled);
          if (!is_uniform) p.c = (Vector(3) << 0.2, 0.7, -0.4).finished();
          p.options.laplacian = laplacian;
          p.options.solver = solver;
          SCOPED_TRACE(testing::Message()
                       << (solver == Solver::full ? "full" : "block") << ", "
                       << (laplacian == Laplacian::plain ? "plain" : "normalised") << ", "
                       << (is_uniform ? "uniform" : "weighted") << ", unlabelled " << unlabelled);
          check(p);
        }
      }
    }
  }
}

double relative_difference(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

TEST(VmrmlSolver, DerivativeIsZero) {
  for_each_variant([](Problem& p) {
    EXPECT_LT(p.stationarity_error(p.solve()), 1e-12);
    // The default weights: coefficients are 100 times larger, and rounding with them.
    p.options.gA = 1e-5;
    p.options.gB = p.options.gW = 1e-6;
    EXPECT_LT(p.stationarity_error(p.solve()), 1e-11);
  });
}

TEST(VmrmlSolver, NothingNearbyIsBetter) {
  for_each_variant([](const Problem& p) {
    const Matrix a = p.solve();
    const double least = p.objective(a);
    for (std::uint64_t seed = 100; seed < 110; ++seed) {
      const Matrix step = 0.01 * a.norm() * normals(p.points(), p.views(), seed).normalized();
      // The objective is a parabola along the step, with its least value at its middle: both sides
      // rise, by the same (to 1e-6 of it; rounding is about 1e-12 of the objective).
      const double up = p.objective(a + step) - least, down = p.objective(a - step) - least;
      EXPECT_GT(up, 1e-9 * least);
      EXPECT_NEAR(up, down, 1e-6 * up);
    }
  });
}

TEST(VmrmlSolver, WithoutGraphsAndTiesItIsKernelRidge) {
  for (const Solver solver : {Solver::block, Solver::full}) {
    Problem p = problem(3, 40);
    p.c = (Vector(3) << 0.5, 0.9, -0.3).finished();
    p.options.gB = p.options.gW = 0;
    Matrix K = p.labelled() * p.options.gA * Matrix::Identity(40, 40);
    for (Index i = 0; i < 3; ++i) K += p.c[i] * p.c[i] * p.K[static_cast<std::size_t>(i)];
    const Vector alpha = K.ldlt().solve(p.y);
    EXPECT_LT(relative_difference(p.solve_by(solver), alpha * p.c.transpose()), 1e-11);
  }
}

TEST(VmrmlSolver, OneViewHasNobodyToAgreeWith) {
  for (const Solver solver : {Solver::block, Solver::full}) {
    for (const double gB : {0.0, 1e-6, 0.1}) {
      Problem p = problem(1, 40);
      p.options.gB = gB;
      p.options.gW = 0;
      const Matrix K = p.K[0] + p.labelled() * p.options.gA * Matrix::Identity(40, 40);
      EXPECT_LT(relative_difference(p.solve_by(solver), K.ldlt().solve(p.y)), 1e-11) << gB;
    }
  }
}

TEST(VmrmlSolver, AViewRepeatedIsOneViewMoreRegular) {
  for (const Solver solver : {Solver::block, Solver::full}) {
    for (const double gB : {0.0, 1e-3, 0.1}) {
      Problem one = problem(1, 40, 5), four = one;
      four.K.assign(4, one.K[0]);
      four.c = Vector::Constant(4, 0.25);
      four.options.gB = gB;
      one.options.gA *= 4;
      one.options.gW *= 4;
      const Matrix expected = one.solve_by(solver).replicate(1, 4);
      // Ties a hundred times stronger than the norms cost a digit or two.
      EXPECT_LT(relative_difference(four.solve_by(solver), expected), gB < 0.1 ? 1e-12 : 1e-11);
    }
  }
}

TEST(VmrmlSolver, BlocksAgreeWithTheWhole) {
  for_each_variant([](const Problem& p) {
    EXPECT_LT(relative_difference(p.solve_by(Solver::block), p.solve_by(Solver::full)), 1e-12);
  });
  // More points than a worker takes at once, the last block shorter.
  for (const double last : {0.5, 0.3}) {
    Problem p = problem(2, 300, 70);
    p.c = (Vector(2) << 0.5, last).finished();
    EXPECT_LT(relative_difference(p.solve_by(Solver::block), p.solve_by(Solver::full)), 1e-12);
  }
}

TEST(VmrmlSolver, OrderOfViewsDoesNotMatter) {
  for_each_variant([](const Problem& p) {
    Problem other = p;
    const std::vector<Index> order = {2, 0, 1};
    for (std::size_t i = 0; i < 3; ++i) other.K[i] = p.K[static_cast<std::size_t>(order[i])];
    other.c = Vector(p.c(order));
    const Matrix expected = p.solve()(Eigen::all, order);
    EXPECT_LT(relative_difference(other.solve(), expected), 1e-12);
  });
}

TEST(VmrmlSolver, StrongTiesMakeViewsAgree) {
  for (const Solver solver : {Solver::block, Solver::full}) {
    Problem p = problem(3, 40, 10);
    p.options.solver = solver;
    double before = std::numeric_limits<double>::infinity(), first = 0;
    for (const double gB : {1e-6, 1e-4, 1e-2, 1.0, 100.0}) {
      p.options.gB = gB;
      const Matrix F = p.outputs(p.solve());
      const double spread = (F.rowwise().maxCoeff() - F.rowwise().minCoeff()).maxCoeff();
      EXPECT_LT(spread, before) << gB;
      if (first == 0) first = spread;
      before = spread;
    }
    EXPECT_GT(first, 0.1);
    EXPECT_LT(before, 1e-3 * first);
  }
}

TEST(VmrmlSolver, OppositeLabelsGiveOppositeCoefficients) {
  for_each_variant([](const Problem& p) {
    Problem opposite = p;
    opposite.y = -p.y;
    EXPECT_EQ(opposite.solve(), -p.solve());  // to the last bit
  });
}

TEST(VmrmlSolver, CoincidingPointsDoNoHarm) {
  for (const Solver solver : {Solver::block, Solver::full}) {
    Problem p = problem(2, 40);
    for (Matrix& K : p.K) {  // of four points each, one
      const Matrix few = K;
      for (Index j = 0; j < 40; ++j) {
        for (Index k = 0; k < 40; ++k) K(j, k) = few(j / 4, k / 4);
      }
    }
    const Matrix a = p.solve_by(solver);
    EXPECT_TRUE(a.allFinite());
    EXPECT_LT(p.stationarity_error(a), 1e-12);
  }
}

TEST(VmrmlSolver, WorkersDoNotChangeABit) {
  for_each_variant([](const Problem& p) { EXPECT_EQ(p.solve(1), p.solve(3)); });
  Problem p = problem(2, 300);
  EXPECT_EQ(p.solve(1), p.solve(2));
}

TEST(VmrmlSolver, StopsBetweenSteps) {
  const Problem p = problem(3, 20);
  Workers workers(1);
  const auto kernel = [&](Index i) { return p.K[static_cast<std::size_t>(i)]; };
  for (const Solver solver : {Solver::block, Solver::full}) {
    VmrmlProblem stopped{kernel, p.c, p.y, p.options};
    stopped.options.solver = solver;
    for (const int asked : {1, 2, 4}) {
      int times = 0;
      EXPECT_THROW(solve_vmrml(workers, stopped, [&] { return ++times == asked; }), Stopped);
    }
  }
}

/// Far from triangular, and of several panels.
Matrix system_of(Index size) {
  Stream stream({.seed = 3});
  Matrix A(size, size);
  fill_normal(stream, {A.data(), static_cast<std::size_t>(A.size())});
  return A;
}

TEST(LuFactors, SolveBothWays) {
  for (const Index size : {1, 2, 9, 128, 129, 300, 517}) {
    const Matrix A = system_of(size), x = system_of(size).leftCols((size + 1) / 2);
    Matrix one = A, two = A;
    Workers workers(1), more(3);
    const LuFactors factors(workers, one, {});
    EXPECT_TRUE(factors.solve(A * x).isApprox(x, 1e-9)) << size;
    EXPECT_TRUE(factors.solve_transposed(A.transpose() * x).isApprox(x, 1e-9)) << size;
    const LuFactors same(more, two, {});
    EXPECT_EQ(one, two);
    // No multiplier is above 1: the pivots are the largest.
    const Matrix L = one.triangularView<Eigen::StrictlyLower>();
    EXPECT_LE(L.cwiseAbs().maxCoeff(), 1);
  }
}

TEST(LuFactors, CanBeStoppedBetweenPanels) {
  Matrix A = system_of(600);
  Workers workers(2);
  int asked = 0;
  EXPECT_THROW(LuFactors(workers, A, [&] { return ++asked == 4; }), Stopped);
}

// Through the interface of all rivals.

Dataset part(const Dataset& data, Index begin, Index end) {
  std::vector<Index> rows(static_cast<std::size_t>(end - begin));
  std::iota(rows.begin(), rows.end(), begin);
  return data.select(rows);
}

/// Scores of the test data, one column a setting.
Matrix scores(const Rival& rival, const Dataset& training, const Dataset& test, int threads = 1) {
  Workers workers(threads);
  std::vector<std::size_t> settings(rival.settings());
  std::iota(settings.begin(), settings.end(), std::size_t{0});
  const auto machines = rival.train(training, signs(training), settings, workers, {});
  Matrix all(test.instances(), std::ssize(machines));
  for (Index s = 0; s < all.cols(); ++s) {
    all.col(s) = machines[static_cast<std::size_t>(s)]->scores(test, workers);
  }
  return all;
}

/// Of each setting.
Vector accuracies(const Matrix& scores, const Dataset& test) {
  const Vector y = signs(test);
  Vector right(scores.cols());
  for (Index s = 0; s < right.size(); ++s) {
    right[s] = (scores.col(s).array() * y.array() > 0).cast<double>().mean();
  }
  return right;
}

/// Trained on the first 200, tested on the other 200.
Vector held_out_accuracies(const Rival& rival, const Dataset& data) {
  const Dataset training = part(data, 0, 200), test = part(data, 200, 400);
  return accuracies(scores(rival, training, test), test);
}

TEST(Vmrml, LearnsWhatIsNotLinear) {
  const Vector right = held_out_accuracies(*vmrml(), ring(400));
  ASSERT_EQ(right.size(), 7);
  EXPECT_GT(right[3], 0.9);  // the median distance
  EXPECT_GT(right.maxCoeff(), 0.93);
}

TEST(Vmrml, TakesGaps) {
  EXPECT_GT(held_out_accuracies(*vmrml(), ring(400, 0.1)).maxCoeff(), 0.75);
}

TEST(Vmrml, ScoresAreThoseOfTheFormula) {
  const Dataset data = ring(90);
  const Dataset training = part(data, 0, 60), test = part(data, 60, 90);
  VmrmlOptions options;
  options.widths = {0.5};
  options.view_weights = (Vector(2) << 0.3, 0.7).finished();
  const Matrix found = scores(*vmrml(options), training, test);

  Workers workers(1);
  const StandardViews standard(training);
  const std::vector<DenseMatrix> known = standard(training), asked = standard(test);
  const auto kernel = [&](Index i) {
    const Matrix d = squared_distances(workers, known[static_cast<std::size_t>(i)]);
    return gaussian_kernel(workers, d, median_distance(d) / 2);
  };
  const Matrix a =
      solve_vmrml_full(workers, {kernel, options.view_weights, signs(training), options}, {});
  for (Index t = 0; t < 30; ++t) {
    double score = 0;
    for (Index i = 0; i < 2; ++i) {
      const DenseMatrix& x = known[static_cast<std::size_t>(i)];
      const double s = median_distance(squared_distances(workers, x)) / 2;
      for (Index j = 0; j < 60; ++j) {
        const double d = (x.row(j) - asked[static_cast<std::size_t>(i)].row(t)).squaredNorm();
        score += options.view_weights[i] * a(j, i) * std::exp(-d / (2 * s * s));
      }
    }
    EXPECT_NEAR(found(t), score, 1e-9);
  }
}

TEST(Vmrml, ScoresDoNotDependOnWhoElseIsScored) {
  const Dataset data = ring(1200);  // more than are scored at once
  VmrmlOptions options;
  options.widths = {1};
  const Dataset training = part(data, 0, 60), last = part(data, 1100, 1200);
  const Matrix all = scores(*vmrml(options), training, data);
  EXPECT_TRUE(all.bottomRows(100).isApprox(scores(*vmrml(options), training, last), 1e-9));
}

TEST(Vmrml, SettingsSharedAreSettingsAlone) {
  const Dataset data = ring(80);
  const Matrix together = scores(*vmrml(), data, data);
  Workers workers(1);
  for (const std::size_t setting : {std::size_t{6}, std::size_t{2}}) {
    const auto alone = vmrml()->train(data, signs(data), std::array{setting}, workers, {});
    ASSERT_EQ(alone.size(), 1);
    EXPECT_EQ(alone[0]->scores(data, workers), together.col(static_cast<Index>(setting)));
  }
}

TEST(Vmrml, WorkersDoNotChangeABit) {
  const Dataset data = ring(300, 0.05);
  VmrmlOptions options;
  options.widths = {0.5, 2};
  for (const Solver solver : {Solver::block, Solver::full}) {
    options.solver = solver;
    const auto rival = vmrml(options);
    EXPECT_EQ(scores(*rival, data, data, 1), scores(*rival, data, data, 2));
  }
}

TEST(Vmrml, ConstantFeaturesAndViewsDoNoHarm) {
  Dataset data = ring(400);
  DenseMatrix values = data.views[0].dense();
  values.col(2).setConstant(7);
  data.views[0].values = values;
  data.views.push_back(data.views[0]);
  data.views.back().name = "constant";
  data.views.back().values = DenseMatrix(DenseMatrix::Constant(400, 3, -2.5));
  const Vector right = held_out_accuracies(*vmrml(), data);
  EXPECT_GT(right[3], 0.85);
}

TEST(Vmrml, TwoInstancesAreEnough) {
  const Dataset data = ring(50);
  const Vector y = signs(data);
  Index other = 1;
  while (y[other] == y[0]) ++other;
  const Dataset training = data.select({0, other});
  const Matrix found = scores(*vmrml(), training, training);
  EXPECT_TRUE(found.allFinite());
  EXPECT_TRUE((accuracies(found, training).array() == 1).all());
  EXPECT_TRUE(scores(*vmrml(), training, data).allFinite());
}

TEST(Vmrml, CanBeStopped) {
  const Dataset data = ring(30);
  Workers workers(1);
  const std::array<std::size_t, 2> settings = {0, 1};
  for (const int asked : {1, 4, 12}) {
    int times = 0;
    const auto stop = [&] { return ++times == asked; };
    EXPECT_THROW(vmrml()->train(data, signs(data), settings, workers, stop), Stopped);
  }
}

TEST(Vmrml, SaysWhatItsSettingsAre) {
  const auto rival = vmrml();
  EXPECT_EQ(rival->settings(), 7);
  EXPECT_EQ(rival->describe(0), "f = 1/8");
  EXPECT_EQ(rival->describe(3), "f = 1");
  EXPECT_EQ(rival->describe(6), "f = 8");
  VmrmlOptions options;
  options.widths = {0.3};
  EXPECT_EQ(vmrml(options)->describe(0), "f = 0.3");
}

TEST(Vmrml, SaysHowMuchMemoryItNeeds) {
  const Size size{1000, {10, 10, 10}};
  const double matrix = 8e6;
  VmrmlOptions options;
  EXPECT_GT(vmrml(options)->bytes(size, 1), 8 * matrix);  // distances, factors, kernel, system
  options.solver = Solver::full;
  EXPECT_GT(vmrml(options)->bytes(size, 1), 13 * matrix);
  options.solver = Solver::block;
  options.view_weights = (Vector(3) << 1, 2, 3).finished();
  EXPECT_GT(vmrml(options)->bytes(size, 1), 11 * matrix);
}

TEST(Vmrml, RefusesBadOptions) {
  const auto with = [](auto change) {
    VmrmlOptions options;
    change(options);
    return options;
  };
  EXPECT_THROW(vmrml(with([](auto& o) { o.gA = 0; })), BadUsage);
  EXPECT_THROW(vmrml(with([](auto& o) { o.gB = -1; })), BadUsage);
  EXPECT_THROW(vmrml(with([](auto& o) { o.gW = std::nan(""); })), BadUsage);
  EXPECT_THROW(vmrml(with([](auto& o) { o.widths = {1, 0}; })), BadUsage);
  EXPECT_THROW(vmrml(with([](auto& o) { o.view_weights = Vector::Zero(2); })), BadUsage);
  const Dataset data = ring(30);
  const auto three = vmrml(with([](auto& o) { o.view_weights = Vector::Ones(3); }));
  EXPECT_THROW(scores(*three, data, data), BadUsage);
}

}  // namespace
}  // namespace m3lak
