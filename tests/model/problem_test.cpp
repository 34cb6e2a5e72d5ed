#include "model/problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "m3lak/scaling.h"
#include "m3lak/simulate.h"
#include "model/base_measure.h"
#include "model/statistics.h"

namespace m3lak {
namespace {

Dataset with_gaps() {
  SimulationOptions options;
  options.instances = 700;
  options.views = {4, 3, 5};
  options.missing_views = 0.3;
  options.missing_cells = 0.1;
  options.unknown_labels = 0.2;
  Dataset data = simulate(options);
  // The last view sparse, with an offset once it is scaled.
  View& last = data.views.back();
  last.values = SparseMatrix(last.dense().sparseView());
  Scaler::fit(data, Scaling::standardize).apply(data);
  return data;
}

double value(const View& view, Index n, Index d) {
  if (!view.has(n)) return 0;
  if (!view.is_sparse()) return view.dense()(n, d);
  return view.sparse().coeff(n, d) - (view.offset.size() > 0 ? view.offset[d] : 0);
}

TEST(Problem, SegmentsCoverEachBlockAndAreAlike) {
  const Dataset data = with_gaps();
  const Problem problem = prepare(data);
  ASSERT_EQ(problem.instances(), 700);
  std::vector<int> seen(700, 0);
  for (Index b = 0; b < problem.blocks.number(); ++b) {
    const Block block = problem.blocks[b];
    Index next = block.begin;
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(b)]) {
      EXPECT_EQ(segment.begin, next);
      next += segment.size;
      for (Index n = segment.begin; n < segment.begin + segment.size; ++n) {
        const auto original = static_cast<std::size_t>(problem.order[static_cast<std::size_t>(n)]);
        ++seen[original];
        // Instances do not leave their block.
        EXPECT_EQ(static_cast<Index>(original) / instances_a_block, b);
        EXPECT_EQ(data.labels->of[original] != Labels::unknown, segment.labelled);
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_EQ(problem.patterns[static_cast<std::size_t>(segment.pattern)][i],
                    data.views[i].has(static_cast<Index>(original)));
        }
      }
    }
    EXPECT_EQ(next, block.end());
  }
  EXPECT_EQ(std::ranges::count(seen, 1), 700);
}

TEST(Problem, KeepsValuesAndTakesGapsOut) {
  const Dataset data = with_gaps();
  const Problem problem = prepare(data);
  for (std::size_t i = 0; i < 3; ++i) {
    double squares = 0;
    Index gaps = 0;
    for (Index n = 0; n < 700; ++n) {
      const Index original = problem.order[static_cast<std::size_t>(n)];
      for (Index d = 0; d < data.views[i].features(); ++d) {
        const double before = value(data.views[i], original, d),
                     now = value(problem.views[i], n, d);
        if (std::isnan(before)) {
          ++gaps;
          EXPECT_EQ(now, 0);
          EXPECT_TRUE(problem.has_gaps(n));
        } else {
          EXPECT_EQ(now, before);
          squares += before * before;
        }
      }
    }
    EXPECT_GT(gaps, 0);
    EXPECT_EQ(problem.gaps[i].nonZeros(), gaps);
    EXPECT_NEAR(problem.squared_norms[i], squares, 1e-9 * squares);
    EXPECT_EQ(problem.present[i], 700 - data.views[i].absent_count());
  }
}

TEST(Problem, SignsOfClasses) {
  Dataset data;
  data.views.resize(1);
  data.views[0].values = DenseMatrix(DenseMatrix::Ones(4, 1));
  data.labels = Labels{{"a", "b"}, {0, 1, Labels::unknown, 1}};
  EXPECT_EQ(prepare(data).y.rows(), 1);
  Dataset many = data;
  many.labels = Labels{{"a", "b", "c"}, {2, 1, Labels::unknown, 0}};
  const Problem problem = prepare(many);
  ASSERT_EQ(problem.y.rows(), 3);
  for (Index n = 0; n < 4; ++n) {
    const int label =
        many.labels->of[static_cast<std::size_t>(problem.order[static_cast<std::size_t>(n)])];
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(problem.y(c, n), label == Labels::unknown ? 0 : label == c ? 1 : -1);
    }
  }
}

template <class Value>
class StatisticsIn : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(StatisticsIn, Precisions);

TYPED_TEST(StatisticsIn, AreTheSumsOverInstancesThatHaveTheView) {
  constexpr double tolerance = std::is_same_v<TypeParam, double> ? 1e-11 : 1e-5;
  const Problem problem = prepare(with_gaps());
  State state;
  state.H = Matrix::Random(2, 700);
  state.U.assign(3, Matrix::Random(1, 700));
  state.fill = problem.gaps;
  for (SparseMatrix& fill : state.fill) fill.coeffs().setRandom();
  Statistics sum = Statistics::zero(problem, 2, 1);
  SegmentStatistics<TypeParam> adder;
  for (const auto& segments : problem.segments) {
    for (const Segment& segment : segments) {
      adder.begin(state, segment);
      for (std::size_t i = 0; i < 3; ++i) {
        if (problem.patterns[static_cast<std::size_t>(segment.pattern)][i]) {
          adder.stacked(state, i);
          adder.add(problem, state, i, sum.views[i]);
        }
      }
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const View& view = problem.views[i];
    Matrix xz = Matrix::Zero(view.features(), 3), zz = Matrix::Zero(3, 3);
    double squares = 0;
    for (Index n = 0; n < 700; ++n) {
      if (!view.has(n)) continue;
      Vector z(3);
      z << state.H.col(n), state.U[i].col(n);
      zz += z * z.transpose();
      for (Index d = 0; d < view.features(); ++d) {
        const double filled = state.fill[i].coeff(n, d);
        xz.row(d) += (value(view, n, d) + filled) * z.transpose();
        squares += filled * filled;
      }
    }
    EXPECT_TRUE(sum.views[i].xz.isApprox(xz, tolerance));
    EXPECT_TRUE(sum.views[i].zz.isApprox(zz, tolerance));
    EXPECT_NEAR(sum.views[i].filled_squares, squares, 1e-9);
  }
}

TEST(BaseMeasure, LooksAtWhatTheViewsShow) {
  Options options;
  options.latent = 2;
  ViewState view;
  view.gram = (Matrix(3, 3) << 3, 0, 1, 0, 1, 1, 1, 1, 5).finished();
  const NormalInverseWishart base = base_measure(options, {view});
  // E[Σ] = Ψ_0 / (ν_0 - m - 1): trace base_scale, shape of WᵀW but for a twentieth.
  const Matrix expected = starting_covariance(options, base);
  EXPECT_NEAR(expected.trace(), options.base_scale, 1e-12);
  EXPECT_NEAR(expected(0, 0), options.base_scale * (0.95 * 0.75 + 0.05 * 0.5), 1e-12);
  EXPECT_NEAR(base.dof, 104, 0);

  view.gram.setZero();  // nothing explained yet
  EXPECT_TRUE(base_measure(options, {view})
                  .scale.isApprox(base.scale.trace() / 2 * Matrix::Identity(2, 2), 1e-12));
  options.base = Base::isotropic;
  options.base_scale = 3;
  EXPECT_TRUE(base_measure(options, {view}).scale.isApprox(3 * Matrix::Identity(2, 2)));
}

}  // namespace
}  // namespace m3lak
