#include "m3lak/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/expect_error.h"
#include "data/moments.h"
#include "data/view_algebra.h"
#include "m3lak/error.h"
#include "m3lak/io.h"
#include "m3lak/simulate.h"

namespace m3lak {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Dense data with gaps, features of very different scales, and a constant one.
Dataset uneven() {
  SimulationOptions options;
  options.instances = 300;
  options.views = {6, 9};
  options.missing_views = 0.2;
  options.missing_cells = 0.1;
  Dataset data = simulate(options);
  for (View& view : data.views) {
    DenseMatrix& values = std::get<DenseMatrix>(view.values);
    for (Index n = 0; n < values.rows(); ++n) {
      if (!view.has(n)) continue;
      for (Index d = 0; d < values.cols(); ++d) {
        values(n, d) = 1e3 * static_cast<double>(d) + values(n, d) * std::pow(10.0, d - 3);
      }
      values(n, 2) = 0.1;  // constant, and no binary fraction: its computed variance is not quite 0
    }
  }
  return data;
}

/// The same values, most of them zero, as dense and as sparse view.
Dataset dense_and_sparse() {
  SimulationOptions options;
  options.instances = 200;
  options.views = {12};
  options.missing_views = 0;
  Dataset data = simulate(options);
  DenseMatrix& values = std::get<DenseMatrix>(data.views[0].values);
  values = (values.array().abs() < 1.2).select(0.0, values);
  data.views[0].absent.assign(200, 0);
  for (const std::size_t n : {3U, 50U, 199U}) {
    data.views[0].absent[n] = 1;
    values.row(static_cast<Index>(n)).setZero();
  }
  View sparse = data.views[0];
  sparse.name = "sparse";
  sparse.values = SparseMatrix(values.sparseView());
  data.views.push_back(sparse);
  return data;
}

TEST(Scaling, StandardisedFeaturesHaveMeanZeroAndVarianceOne) {
  Dataset data = uneven();
  Scaler::fit(data, Scaling::standardize).apply(data);
  for (const View& view : data.views) {
    const Moments moments = moments_of(view);
    for (Index d = 0; d < view.features(); ++d) {
      EXPECT_NEAR(moments.mean[d], 0, 1e-9);
      EXPECT_NEAR(moments.variance[d], d == 2 ? 0 : 1, 1e-9);
    }
  }
}

TEST(Scaling, EqualVarianceGivesEachViewOne) {
  Dataset data = uneven();
  Scaler::fit(data, Scaling::equal_variance).apply(data);
  for (const View& view : data.views) {
    EXPECT_NEAR(moments_of(view).variance.sum(), 1, 1e-9);
    EXPECT_NEAR(moments_of(view).mean.cwiseAbs().maxCoeff(), 0, 1e-9);
  }
}

TEST(Scaling, UnitLengthLooksAtDirectionsOnly) {
  Dataset data = uneven(), longer = data;
  for (View& view : longer.views) {
    DenseMatrix& values = std::get<DenseMatrix>(view.values);
    for (Index n = 0; n < values.rows(); ++n) values.row(n) *= 1 + static_cast<double>(n % 7);
  }
  const Scaler scaler = Scaler::fit(data, Scaling::unit_length);
  scaler.apply(data);
  scaler.apply(longer);
  for (std::size_t v = 0; v < 2; ++v) {
    const Moments moments = moments_of(data.views[v]);
    EXPECT_NEAR(moments.variance.sum(), 1, 1e-9);
    EXPECT_NEAR(moments.mean.cwiseAbs().maxCoeff(), 0, 1e-9);
    for (Index n = 0; n < data.instances(); ++n) {
      for (Index d = 0; d < data.views[v].features(); ++d) {
        const double a = data.views[v].dense()(n, d), b = longer.views[v].dense()(n, d);
        EXPECT_TRUE(std::abs(a - b) < 1e-9 || (std::isnan(a) && std::isnan(b)));
      }
    }
  }
}

TEST(Scaling, UnitLengthTakesUnknownCellsToBeAsLongAsKnownOnes) {
  Dataset data;
  View& view = data.views.emplace_back();
  view.name = "a";
  view.values = DenseMatrix(DenseMatrix{{3, 4, 0, 0}, {3, nan, nan, 4}, {0, 0, 0, 0}});
  const Scaler identity(Scaling::unit_length, {{"a", Vector::Zero(4), Vector::Ones(4)}});
  identity.apply(data);
  const DenseMatrix& values = data.views[0].dense();
  EXPECT_NEAR(values(0, 1), 0.8, 1e-12);
  EXPECT_NEAR(values(1, 3), 0.8 / std::sqrt(2.0), 1e-12);
  EXPECT_TRUE(std::isnan(values(1, 2)));
  EXPECT_EQ(values(2, 0), 0);
}

TEST(Scaling, UnitLengthOfSparseViewsIsThatOfDenseOnes) {
  Dataset data = dense_and_sparse();
  Scaler::fit(data, Scaling::unit_length).apply(data);
  const View &dense = data.views[0], &sparse = data.views[1];
  ASSERT_TRUE(sparse.is_sparse());
  DenseMatrix same = DenseMatrix(sparse.sparse()).rowwise() - sparse.offset.transpose();
  for (Index n = 0; n < same.rows(); ++n) {
    if (!sparse.has(n)) same.row(n).setZero();
  }
  EXPECT_TRUE(same.isApprox(dense.dense(), 1e-9));
}

TEST(Scaling, TakesRootsFirst) {
  for (const auto& [with_root, without] :
       {std::pair{Scaling::root_center, Scaling::center},
        std::pair{Scaling::root_standardize, Scaling::standardize},
        std::pair{Scaling::root_unit_length, Scaling::unit_length}}) {
    SCOPED_TRACE(name_of(with_root));
    for (const auto& make : {&uneven, &dense_and_sparse}) {
      Dataset data = make(), roots = data;
      for (View& view : roots.views) {
        const auto root = [](double x) { return x < 0 ? -std::sqrt(-x) : std::sqrt(x); };
        if (view.is_sparse()) {
          SparseMatrix& values = std::get<SparseMatrix>(view.values);
          values = values.unaryExpr(root).eval();
        } else {
          DenseMatrix& values = std::get<DenseMatrix>(view.values);
          values = values.unaryExpr(root).eval();
        }
      }
      Scaler::fit(data, with_root).apply(data);
      Scaler::fit(roots, without).apply(roots);
      for (std::size_t v = 0; v < data.views.size(); ++v) {
        const View &a = data.views[v], &b = roots.views[v];
        const DenseMatrix x = a.is_sparse() ? DenseMatrix(a.sparse()) : DenseMatrix(a.dense());
        const DenseMatrix y = b.is_sparse() ? DenseMatrix(b.sparse()) : DenseMatrix(b.dense());
        EXPECT_TRUE(
            ((x - y).array().abs() < 1e-9 || (x.array().isNaN() && y.array().isNaN())).all());
        EXPECT_TRUE((a.offset - b.offset).isZero(1e-9));
      }
    }
  }
}

TEST(Scaling, GivesViewsTheVarianceThatIsAskedFor) {
  for (const Scaling scaling : {Scaling::center, Scaling::standardize, Scaling::unit_length,
                                Scaling::root_center, Scaling::root_standardize}) {
    Dataset data = uneven();
    Scaler::fit(data, scaling, Vector{{0.5, 3}}).apply(data);
    EXPECT_NEAR(moments_of(data.views[0]).variance.sum(), 0.5, 1e-9);
    EXPECT_NEAR(moments_of(data.views[1]).variance.sum(), 3, 1e-9);
  }
}

TEST(Scaling, CentringKeepsVariances) {
  Dataset data = uneven();
  const Moments before = moments_of(data.views[0]);
  Scaler::fit(data, Scaling::center).apply(data);
  const Moments after = moments_of(data.views[0]);
  EXPECT_NEAR(after.mean.cwiseAbs().maxCoeff(), 0, 1e-9);
  EXPECT_TRUE(after.variance.isApprox(before.variance, 1e-9));
}

TEST(Scaling, NoneChangesNothing) {
  Dataset data = uneven();
  const Dataset before = data;
  Scaler::fit(data, Scaling::none).apply(data);
  for (Index n = 0; n < data.instances(); ++n) {
    for (Index d = 0; d < 6; ++d) {
      const double was = before.views[0].dense()(n, d), is = data.views[0].dense()(n, d);
      EXPECT_TRUE(was == is || (std::isnan(was) && std::isnan(is)));
    }
  }
}

TEST(Scaling, GapsStayGaps) {
  Dataset data = uneven();
  const Dataset before = data;
  Scaler::fit(data, Scaling::standardize).apply(data);
  EXPECT_GT(before.views[0].missing_cells(), 0);
  EXPECT_EQ(data.views[0].missing_cells(), before.views[0].missing_cells());
  EXPECT_EQ(data.views[0].absent, before.views[0].absent);
  for (Index n = 0; n < data.instances(); ++n) {
    if (!data.views[0].has(n)) {
      EXPECT_EQ(data.views[0].dense().row(n).squaredNorm(), 0);
    }
  }
}

TEST(Scaling, IsFittedOnTrainingDataAlone) {
  const Dataset data = uneven();
  std::vector<Index> first, second;
  for (Index n = 0; n < data.instances(); ++n) (n < 100 ? first : second).push_back(n);
  const Scaler scaler = Scaler::fit(data.select(first), Scaling::standardize);
  Dataset together = data, apart = data.select(second);
  scaler.apply(together);
  scaler.apply(apart);
  const Dataset part = together.select(second);
  for (Index n = 0; n < part.instances(); ++n) {
    for (Index d = 0; d < 6; ++d) {
      const double a = part.views[0].dense()(n, d), b = apart.views[0].dense()(n, d);
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)));
    }
  }
  // And it travels: a scaler made from another's numbers does the same.
  const Scaler copy(scaler.scaling(), scaler.views());
  Dataset again = data.select(second);
  copy.apply(again);
  EXPECT_EQ(moments_of(again.views[1]).mean, moments_of(apart.views[1]).mean);
}

TEST(Scaling, SparseViewsStaySparseAndMeanTheSame) {
  for (const Scaling scaling :
       {Scaling::none, Scaling::center, Scaling::standardize, Scaling::equal_variance}) {
    Dataset data = dense_and_sparse();
    const Index stored = data.views[1].stored();
    Scaler::fit(data, scaling).apply(data);
    const View &dense = data.views[0], &sparse = data.views[1];
    ASSERT_TRUE(sparse.is_sparse());
    EXPECT_EQ(sparse.stored(), stored);
    const DenseMatrix right = DenseMatrix::Random(12, 5), left = DenseMatrix::Random(200, 4);
    EXPECT_TRUE(times(sparse, right).isApprox(times(dense, right), 1e-12)) << name_of(scaling);
    EXPECT_TRUE(transposed_times(sparse, left).isApprox(transposed_times(dense, left), 1e-12));
    for (Index n = 0; n < dense.instances(); ++n) {
      if (!dense.has(n)) continue;
      EXPECT_NEAR(squared_norm(sparse, n, 1), squared_norm(dense, n, 1), 1e-9);
    }
  }
}

TEST(Scaling, MomentsOfSparseViewsCountTheirZerosAndSkipTheirGaps) {
  Dataset data = dense_and_sparse();
  DenseMatrix& dense = std::get<DenseMatrix>(data.views[0].values);
  SparseMatrix& sparse = std::get<SparseMatrix>(data.views[1].values);
  for (Index n = 0; n < 200; n += 7) {
    for (SparseMatrix::InnerIterator cell(sparse, n); cell; ++cell) {
      cell.valueRef() = nan;
      dense(n, cell.col()) = nan;
    }
  }
  const Moments a = moments_of(data.views[0]), b = moments_of(data.views[1]);
  EXPECT_EQ(a.known, b.known);
  EXPECT_TRUE(a.mean.isApprox(b.mean, 1e-12));
  EXPECT_TRUE(a.variance.isApprox(b.variance, 1e-12));
}

TEST(Scaling, NamesGoBothWays) {
  for (const char* name : {"none", "center", "standardize", "equal-variance"}) {
    EXPECT_EQ(name_of(scaling_of(name)), name);
  }
  expect_error<BadUsage>([] { scaling_of("minmax"); }, {"scaling = 'minmax'", "standardize"});
}

TEST(Scaling, RefusesOtherDataThanItWasFittedOn) {
  Dataset data = uneven();
  const Scaler scaler = Scaler::fit(data, Scaling::center);
  Dataset fewer = data;
  fewer.views.pop_back();
  expect_error<BadData>([&] { scaler.apply(fewer); }, {"has 1 views", "had 2"});
  Dataset other = data;
  other.views[1].values = DenseMatrix(DenseMatrix::Zero(300, 8));
  expect_error<BadData>([&] { scaler.apply(other); }, {"'view2' has 8 features", "9"});
  Dataset sparse = dense_and_sparse();
  const Scaler again = Scaler::fit(sparse, Scaling::center);
  again.apply(sparse);
  expect_error<BadUsage>([&] { again.apply(sparse); }, {"scaled already"});
  expect_error<BadUsage>([&] { Scaler::fit(sparse, Scaling::center); }, {"scaled already"});
  expect_error<BadUsage>([&] { write_dataset(sparse, "never.npz", FileFormat::npz); },
                         {"'sparse'", "before it is scaled"});
}

}  // namespace
}  // namespace m3lak
