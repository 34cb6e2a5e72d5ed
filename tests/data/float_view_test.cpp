// Views that are kept in float behave as those in double do, up to rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "data/moments.h"
#include "data/view_algebra.h"
#include "m3lak/error.h"
#include "m3lak/model.h"
#include "m3lak/scaling.h"
#include "m3lak/simulate.h"
#include "model/problem.h"

namespace m3lak {
namespace {

Dataset in_double() {
  SimulationOptions options;
  options.instances = 120;
  options.views = {9, 17};
  options.missing_views = 0.1;
  options.missing_cells = 0.05;
  return simulate(options);
}

Dataset in_float() {
  Dataset data = in_double();
  for (View& view : data.views) keep_in(view, Precision::mixed);
  return data;
}

TEST(FloatView, IsCountedAndCheckedAsOneInDouble) {
  const Dataset wide = in_double(), narrow = in_float();
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(narrow.views[i].is_float());
    EXPECT_EQ(narrow.views[i].instances(), 120);
    EXPECT_EQ(narrow.views[i].features(), wide.views[i].features());
    EXPECT_EQ(narrow.views[i].stored(), wide.views[i].stored());
    EXPECT_EQ(narrow.views[i].missing_cells(), wide.views[i].missing_cells());
    EXPECT_GT(narrow.views[i].missing_cells(), 0);
    EXPECT_TRUE(moments_of(narrow.views[i]).mean.isApprox(moments_of(wide.views[i]).mean, 1e-5));
  }
  Dataset bad = in_float();
  std::get<FloatMatrix>(bad.views[0].values)(3, 2) = INFINITY;
  bad.views[0].absent.clear();
  EXPECT_THROW(bad.settle(), BadData);
}

TEST(FloatView, WhoseRowsAreAllUnknownLacksThem) {
  Dataset data = in_float();
  std::get<FloatMatrix>(data.views[1].values).row(5).setConstant(NAN);
  data.settle();
  EXPECT_FALSE(data.views[1].has(5));
  EXPECT_EQ(data.views[1].floats().row(5).norm(), 0);
  EXPECT_EQ(data.select({5, 0}).views[1].floats().row(1).cwiseAbs().array().isNaN().count(),
            data.views[1].floats().row(0).array().isNaN().count());
}

TEST(FloatView, IsScaledAndMultipliedAlike) {
  Dataset wide = in_double(), narrow = in_float();
  Scaler::fit(wide, Scaling::standardize).apply(wide);
  Scaler::fit(narrow, Scaling::standardize).apply(narrow);
  const Problem of_wide = prepare(wide), of_narrow = prepare(narrow, Precision::mixed);
  for (std::size_t i = 0; i < 2; ++i) {
    const View &a = of_wide.views[i], &b = of_narrow.views[i];
    ASSERT_TRUE(b.is_float());
    EXPECT_NEAR(of_narrow.squared_norms[i], of_wide.squared_norms[i], 1e-3);
    const DenseMatrix right = DenseMatrix::Random(a.features(), 3);
    const DenseMatrix left = DenseMatrix::Random(120, 3);
    EXPECT_TRUE(times(b, right).isApprox(times(a, right), 1e-5));
    EXPECT_TRUE(transposed_times(b, left).isApprox(transposed_times(a, left), 1e-5));
    // And a view in one precision with numbers in the other.
    RowMatrix<double> sum = RowMatrix<double>::Zero(10, padded<double>(3)), same = sum;
    add_rows_times<double>(b, 20, padded<double>(right), sum);
    add_rows_times<double>(a, 20, padded<double>(right), same);
    EXPECT_TRUE(sum.isApprox(same, 1e-5));
  }
}

TEST(FloatView, TrainsAndPredictsInBothPrecisions) {
  const Dataset wide = in_double(), narrow = in_float();
  Options options;
  options.latent = 4;
  options.features = 20;
  options.scaling = Scaling::standardize;
  options.calibrate = false;
  options.iterations = 60;
  options.burn_in = 30;
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    options.precision = precision;
    const Prediction a = fit(wide, options).predict(wide), b = fit(narrow, options).predict(narrow);
    int same = 0;
    for (std::size_t n = 0; n < 120; ++n) same += a.label[n] == b.label[n];
    EXPECT_GT(same, 100);
  }
}

TEST(FloatView, IsNotRoundedAgainInDouble) {
  // Numbers that are floats: then it does not matter how they were kept.
  const Dataset narrow = in_float();
  Dataset wide = narrow;
  for (View& view : wide.views) keep_in(view, Precision::full);
  Options options;
  options.latent = 4;
  options.features = 20;
  options.scaling = Scaling::standardize;
  options.calibrate = false;
  options.iterations = 20;
  options.burn_in = 10;
  EXPECT_EQ(fit(wide, options).predict(wide).score, fit(narrow, options).predict(narrow).score);
}

}  // namespace
}  // namespace m3lak
