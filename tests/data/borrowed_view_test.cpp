// Views whose numbers are somebody else's behave as others do, and are never written to.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "data/moments.h"
#include "m3lak/error.h"
#include "m3lak/model.h"
#include "m3lak/scaling.h"
#include "m3lak/simulate.h"

namespace m3lak {
namespace {

Dataset own() {
  SimulationOptions options;
  options.instances = 60;
  options.views = {4, 7};
  options.missing_cells = 0.05;
  return simulate(options);
}

/// The numbers of `data`, which must outlive it.
Dataset borrowed(const Dataset& data) {
  Dataset result = data;
  for (std::size_t i = 0; i < data.views.size(); ++i) {
    const DenseMatrix& values = std::get<DenseMatrix>(data.views[i].values);
    result.views[i].values.emplace<Borrowed<double>>(
        Borrowed<double>{values.data(), values.rows(), values.cols(), {}});
  }
  return result;
}

/// Equal to the last bit, where NaN equals NaN.
bool same(const Eigen::Ref<const DenseMatrix>& a, const Eigen::Ref<const DenseMatrix>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all();
}

TEST(BorrowedView, LooksLikeOneThatOwns) {
  const Dataset data = own(), other = borrowed(data);
  for (std::size_t i = 0; i < 2; ++i) {
    const View &mine = data.views[i], &theirs = other.views[i];
    EXPECT_FALSE(theirs.is_sparse());
    EXPECT_FALSE(theirs.is_float());
    EXPECT_EQ(theirs.instances(), 60);
    EXPECT_EQ(theirs.features(), mine.features());
    EXPECT_EQ(theirs.missing_cells(), mine.missing_cells());
    EXPECT_EQ(theirs.dense().data(), mine.dense().data());
    EXPECT_EQ(moments_of(theirs).mean, moments_of(mine).mean);
    EXPECT_TRUE(same(other.select({7, 3}).views[i].dense(), data.select({7, 3}).views[i].dense()));
  }
}

TEST(BorrowedView, IsCopiedBeforeItIsChanged) {
  Dataset data = own();
  std::get<DenseMatrix>(data.views[0].values).row(5).setConstant(std::nan(""));
  const Dataset before = data;
  Dataset other = borrowed(data), mine = data;
  other.settle();
  EXPECT_FALSE(other.views[0].has(5));
  EXPECT_EQ(other.views[0].dense().row(5).norm(), 0);
  mine.settle();
  for (const Scaling scaling : {Scaling::standardize, Scaling::unit_length}) {
    Dataset theirs = other, ours = mine;
    Scaler::fit(other, scaling).apply(theirs);
    Scaler::fit(mine, scaling).apply(ours);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(same(theirs.views[i].dense(), ours.views[i].dense()));
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(same(data.views[i].dense(), before.views[i].dense()));
  }
}

TEST(BorrowedView, MayBeFloat) {
  FloatMatrix values = FloatMatrix::Random(10, 3);
  const FloatMatrix before = values;
  View view{"x", Borrowed<float>{values.data(), 10, 3, {}}, {}, {}, {}};
  EXPECT_TRUE(view.is_float());
  EXPECT_EQ(view.floats(), values);
  view.own();
  std::get<FloatMatrix>(view.values)(0, 0) = 7;
  EXPECT_EQ(values, before);
}

TEST(BorrowedView, KeepsItsOwner) {
  auto numbers = std::make_shared<DenseMatrix>(DenseMatrix::Random(10, 3));
  const std::weak_ptr<DenseMatrix> watched = numbers;
  {
    Dataset data;
    data.views.push_back(
        {"x", Borrowed<double>{numbers->data(), 10, 3, std::move(numbers)}, {}, {}, {}});
    const Dataset copy = data;
    data.views.clear();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(BorrowedView, NamesWhatIsInfinite) {
  Dataset data = own();
  std::get<DenseMatrix>(data.views[1].values)(3, 2) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(borrowed(data).settle(), BadData);
}

TEST(BorrowedView, IsLearnedFromToTheLastBit) {
  const Dataset data = own();
  Options options;
  options.iterations = 12;
  options.burn_in = 4;
  const Dataset other = borrowed(data);
  const Model mine = fit(data, options), theirs = fit(other, options);
  EXPECT_EQ(mine.bytes(), theirs.bytes());
  EXPECT_EQ(mine.predict(data).probability, theirs.predict(other).probability);
}

}  // namespace
}  // namespace m3lak
