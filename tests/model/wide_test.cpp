#include "model/wide.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "data/view_algebra.h"
#include "model/projection.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

constexpr Index N = 3, D = 7, k = 2;

View small_view() {
  View view;
  DenseMatrix X = DenseMatrix::Random(N, D);
  X.row(2) = -X.row(0) - X.row(1);  // as after centring: not of full rank
  view.values = SparseMatrix(X.sparseView());
  view.offset = Vector::Zero(D);
  return view;
}

TEST(Wide, TurningKeepsProductsAndIsOrthonormal) {
  View view = small_view();
  const DenseMatrix X = view.sparse();
  const DenseMatrix Q = turn(view);
  ASSERT_EQ(Q.rows(), D);
  ASSERT_EQ(Q.cols(), 2);
  EXPECT_TRUE((Q.transpose() * Q).isApprox(Matrix::Identity(2, 2), 1e-10));
  EXPECT_TRUE(view.dense().isApprox(X * Q, 1e-10));
  EXPECT_TRUE((view.dense() * Q.transpose()).isApprox(X, 1e-10));
}

/// Is [W V] of all features, drawn on the turned view and turned back, of the law that projection.h
/// states for the view as it was? The smallest p-value over means and covariances.
double turned_p(double scale) {
  View view = small_view();
  const Matrix X = Matrix(view.sparse()).transpose();  // one column an instance
  const DenseMatrix Q = turn(view);
  const Matrix Z = Matrix::Random(k, N);
  const double noise = 1.3, eta = 0.8;
  ViewState state;
  state.noise = noise;
  state.relevance = Vector::Constant(1, 1.7);
  const ViewStatistics statistics{view.dense().transpose() * Z.transpose(), Z * Z.transpose(), 0};
  Workers workers(1);
  constexpr Index count = 10000;
  Matrix draws(D * k, count);
  for (Index n = 0; n < count; ++n) {
    draw_projection(workers, {1, 0, std::uint64_t(n)}, 0, D, statistics, eta, state);
    Stream stream({.seed = 9, .index = std::uint64_t(n)});
    const DenseMatrix P = turn_back(stream, Q, state.projection, state.unseen);
    EXPECT_TRUE((P.transpose() * P).isApprox(state.gram, 1e-9));
    draws.col(n) = P.reshaped<Eigen::RowMajor>();
  }
  Matrix T = noise * Z * Z.transpose();
  T.diagonal() += (Vector(2) << 1.7, eta).finished();
  const DenseMatrix mean = noise * X * Z.transpose() * T.inverse();
  const Matrix block = scale * T.inverse();
  double worst = 1;
  for (Index i = 0; i < D * k; ++i) {
    const double mean_i = mean.reshaped<Eigen::RowMajor>()[i];
    const Vector row = draws.row(i);
    worst = std::min(worst, mean_p({row.begin(), row.end()}, mean_i));
    for (Index j = 0; j <= i; ++j) {
      const double mean_j = mean.reshaped<Eigen::RowMajor>()[j];
      const Vector products = (draws.row(i).array() - mean_i) * (draws.row(j).array() - mean_j);
      const double expected = i / k == j / k ? block(i % k, j % k) : 0;
      worst = std::min(worst, mean_p({products.begin(), products.end()}, expected));
    }
  }
  return worst;
}

TEST(Wide, GivesTheLawOfTheViewAsItWas) {
  EXPECT_GT(turned_p(1), error_rate);
  EXPECT_LT(turned_p(1.1), error_rate);
}

TEST(Wide, IsUsedWhereItPays) {
  View view;
  view.values = DenseMatrix(DenseMatrix::Random(50, 2000));
  EXPECT_TRUE(worth_turning(view, 21));
  view.values = DenseMatrix(DenseMatrix::Random(50, 60));
  EXPECT_FALSE(worth_turning(view, 21));
  view.values = DenseMatrix(DenseMatrix::Random(500, 20));
  EXPECT_FALSE(worth_turning(view, 21));
}

}  // namespace
}  // namespace m3lak
