#include "model/point_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/archive.h"
#include "numeric/distributions.h"

namespace m3lak {
namespace {

/// Multiples of 2^-10, so that an offset of 2^30 takes no digits from them.
Matrix points_on_a_grid(Index d, Index count) {
  Stream stream({.seed = 3});
  Matrix points(d, count);
  for (double& x : points.reshaped()) x = std::round(1024 * normal(stream)) / 1024;
  return points;
}

PointMoments directly(const Matrix& points) {
  const Vector mean = points.rowwise().mean();
  const Matrix away = points.colwise() - mean;
  return {static_cast<double>(points.cols()), mean, away * away.transpose()};
}

TEST(PointSums, OfBlocksAreThoseOfAllPoints) {
  const Index count = 3 * points_a_block + 7;
  const Matrix points = points_on_a_grid(3, count);
  const PointMoments direct = directly(points);
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    const PointMoments moments = moments_of(workers, points);
    EXPECT_EQ(moments.count, direct.count);
    EXPECT_TRUE(moments.mean.isApprox(direct.mean, 1e-12));
    EXPECT_TRUE(moments.scatter.isApprox(direct.scatter, 1e-12));
  }
}

TEST(PointSums, KeepTheirDigitsFarFromZero) {
  const Matrix points = points_on_a_grid(2, 5000);
  const Matrix far = points.array() + 0x1p30;
  Workers workers(2);
  const PointMoments near_zero = moments_of(workers, points), far_away = moments_of(workers, far);
  EXPECT_TRUE(far_away.scatter.isApprox(near_zero.scatter, 1e-9));
  EXPECT_LT((far_away.mean.array() - 0x1p30 - near_zero.mean.array()).abs().maxCoeff(), 1e-6);
  // What they are about is what keeps the digits: about 0, none is left.
  PointSums about_zero(2, 1);
  for (Index n = 0; n < far.cols(); ++n) about_zero.add(0, far.col(n));
  EXPECT_FALSE(about_zero.moments(0, Vector::Zero(2)).scatter.isApprox(near_zero.scatter, 0.1));
}

TEST(PointSums, OfTwoComponentsTogetherAreThoseOfAllTheirPoints) {
  const Matrix points = points_on_a_grid(3, 500);
  Workers workers(1);
  const PointMoments a = moments_of(workers, points.leftCols(120));
  const PointMoments b = moments_of(workers, points.rightCols(380));
  const PointMoments both = together(a, b), all = moments_of(workers, points);
  EXPECT_TRUE(both.mean.isApprox(all.mean, 1e-12));
  EXPECT_TRUE(both.scatter.isApprox(all.scatter, 1e-12));
  const PointMoments none{0, Vector::Zero(3), Matrix::Zero(3, 3)};
  EXPECT_EQ(together(none, a).mean, a.mean);
  EXPECT_EQ(together(a, none).scatter, a.scatter);
}

TEST(PointSums, WeightsAreFractionsOfPoints) {
  const Vector y = Vector::LinSpaced(3, -1, 4), z = Vector::LinSpaced(3, 2, 0.5);
  PointSums twice(3, 2), weighted(3, 2);
  for (const Vector& each : {y, y, z}) twice.add(1, each);
  weighted.add(1, y, 2);
  weighted.add(1, z, 1);
  const PointMoments a = twice.moments(1, Vector::Ones(3)),
                     b = weighted.moments(1, Vector::Ones(3));
  EXPECT_EQ(a.count, b.count);
  EXPECT_TRUE(a.mean.isApprox(b.mean, 1e-14));
  EXPECT_TRUE(a.scatter.isApprox(b.scatter, 1e-14));
  EXPECT_EQ(twice.moments(0, y).count, 0);
}

TEST(PointSums, AreSentWhole) {
  struct Text {
    std::string all;
    void bytes(const void* data, std::size_t size) {
      all.append(static_cast<const char*>(data), size);
    }
  } text;
  PointSums sums(2, 3), again(1, 1);
  sums.add(2, Vector::Constant(2, 1.5), 0.25);
  ArchiveWriter<Text> writer(text);
  writer(sums);
  ArchiveReader reader(text.all);
  reader(again);
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_EQ(again.counts, sums.counts);
  EXPECT_EQ(again.sums, sums.sums);
  EXPECT_EQ(again.outers, sums.outers);
}

}  // namespace
}  // namespace m3lak
