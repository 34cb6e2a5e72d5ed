#include "rivals/distances.h"

#include <gtest/gtest.h>

#include <cmath>

namespace m3lak {
namespace {

TEST(Distances, AreThoseOfAllPairs) {
  const DenseMatrix x = DenseMatrix::Random(70, 5), y = DenseMatrix::Random(130, 5);
  Workers one(1), two(2);
  const Matrix d = squared_distances(one, x, y);
  ASSERT_EQ(d.rows(), 70);
  ASSERT_EQ(d.cols(), 130);
  for (Index n = 0; n < 70; ++n) {
    for (Index k = 0; k < 130; ++k) {
      EXPECT_NEAR(d(n, k), (x.row(n) - y.row(k)).squaredNorm(), 1e-13);
    }
  }
  EXPECT_EQ(d, squared_distances(two, x, y));
}

TEST(Distances, OfPairsOfOneAreSymmetric) {
  Workers workers(2);
  const DenseMatrix x = 1e3 * DenseMatrix::Random(90, 3);
  const Matrix d = squared_distances(workers, x);
  EXPECT_EQ(d, d.transpose());
  EXPECT_TRUE((d.diagonal().array() == 0).all());
  EXPECT_NEAR(d(3, 80), (x.row(3) - x.row(80)).squaredNorm(), 1e-6);
}

TEST(Distances, HaveAMedian) {
  Workers workers(1);
  const DenseMatrix x = (DenseMatrix(3, 1) << 0, 1, 3).finished();  // 1, 2, 3
  EXPECT_DOUBLE_EQ(median_distance(squared_distances(workers, x)), 2);
  EXPECT_EQ(median_distance(Matrix::Zero(1, 1)), 1);
  EXPECT_EQ(median_distance(Matrix::Zero(5, 5)), 1);
}

TEST(Distances, MakeGaussianKernels) {
  Workers workers(1);
  const Matrix d = (Matrix(1, 2) << 0, 8).finished();
  const Matrix kernel = gaussian_kernel(workers, d, 2);
  EXPECT_EQ(kernel(0, 0), 1);
  EXPECT_DOUBLE_EQ(kernel(0, 1), std::exp(-1.0));
}

}  // namespace
}  // namespace m3lak
