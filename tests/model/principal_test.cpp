#include "model/principal.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>

namespace m3lak {
namespace {

/// A dense view and a sparse one with an offset; the first instance lacks the second view.
Dataset made_up(Index N, Index dense, Index sparse) {
  Dataset data;
  data.views.resize(2);
  data.views[0].values =
      DenseMatrix(DenseMatrix::Random(N, dense) * Vector::LinSpaced(dense, 3, 0.1).asDiagonal());
  DenseMatrix second = DenseMatrix::Random(N, sparse).cwiseMax(0.5);
  second.row(0).setZero();
  data.views[1].values = SparseMatrix(second.sparseView());
  data.views[1].offset = Vector::Constant(sparse, 0.6);
  data.views[1].absent.assign(static_cast<std::size_t>(N), 0);
  data.views[1].absent[0] = 1;
  return data;
}

/// All views side by side as they are meant.
Matrix side_by_side(const Problem& problem) {
  const View &first = problem.views[0], &second = problem.views[1];
  Matrix X(problem.instances(), first.features() + second.features());
  X.leftCols(first.features()) = first.dense();
  X.rightCols(second.features()) = Matrix(second.sparse()).rowwise() - second.offset.transpose();
  for (Index n = 0; n < X.rows(); ++n) {
    if (!second.has(n)) X.row(n).tail(second.features()).setZero();
  }
  return X;
}

double length(const Matrix& X) {
  return std::sqrt(X.squaredNorm() / static_cast<double>(X.rows()));
}

std::vector<DenseMatrix> directions_of(const Problem& problem, Index most) {
  Workers workers(2);
  return principal_directions(workers, problem, most, Stream({}));
}

DenseMatrix coordinates(Problem problem, const std::vector<DenseMatrix>& directions) {
  Workers workers(2);
  see_principal_coordinates(workers, directions, problem);
  return problem.coordinates;
}

TEST(Principal, CoordinatesAreThoseOfTheSingularValueDecomposition) {
  for (const auto& [N, dense, sparse] : {std::array<Index, 3>{30, 7, 9}, {20, 25, 40}}) {
    const Problem problem = prepare(made_up(N, dense, sparse));
    const Matrix X = side_by_side(problem);
    const Eigen::JacobiSVD<Matrix> svd(X);
    const auto directions = directions_of(problem, 5);
    const DenseMatrix z = coordinates(problem, directions);
    ASSERT_EQ(z.cols(), 5);
    const Matrix gram = z.transpose() * z;
    const Vector expected = svd.singularValues().head(5).cwiseAbs2() / (length(X) * length(X));
    EXPECT_TRUE(gram.isApprox(Matrix(expected.asDiagonal()), 1e-9)) << gram;
  }
}

TEST(Principal, AllOfThemKeepAllInnerProducts) {
  for (const auto& [N, dense, sparse] : {std::array<Index, 3>{30, 7, 9}, {20, 25, 40}}) {
    const Problem problem = prepare(made_up(N, dense, sparse));
    const Matrix X = side_by_side(problem) / length(side_by_side(problem));
    const DenseMatrix z = coordinates(problem, directions_of(problem, 1000));
    EXPECT_EQ(z.cols(), std::min(N, dense + sparse));
    EXPECT_TRUE((z * z.transpose()).isApprox(X * X.transpose(), 1e-9));
    EXPECT_NEAR(z.rowwise().squaredNorm().mean(), 1, 1e-9);
  }
}

TEST(Principal, OfManyTheyAreNearlyThose) {
  // Too many instances and features for exact eigenvectors.
  Dataset data;
  data.views.resize(1);
  const DenseMatrix low = DenseMatrix::Random(1600, 12) * DenseMatrix::Random(12, 1700);
  data.views[0].values = DenseMatrix(low + 0.01 * DenseMatrix::Random(1600, 1700));
  const Problem problem = prepare(data);
  const auto directions = directions_of(problem, 12);
  ASSERT_EQ(directions[0].cols(), 12);
  const DenseMatrix z = coordinates(problem, directions);
  EXPECT_GT(z.rowwise().squaredNorm().mean(), 0.999);
  EXPECT_LE(z.rowwise().squaredNorm().mean(), 1 + 1e-9);
}

TEST(Principal, NothingIsSeenOfNothing) {
  Dataset data;
  data.views.resize(1);
  data.views[0].values = DenseMatrix(DenseMatrix::Zero(5, 3));
  const Problem zero = prepare(data);
  EXPECT_EQ(directions_of(zero, 4)[0].cols(), 0);
  const Problem problem = prepare(made_up(20, 3, 4));
  const auto directions = directions_of(problem, 0);
  EXPECT_EQ(coordinates(problem, directions).cols(), 0);
}

TEST(Principal, WeakDirectionsOfRoundingAreLeftOut) {
  Dataset data;
  data.views.resize(1);
  DenseMatrix X = DenseMatrix::Random(20, 4);
  X.col(3) = X.col(0) + X.col(1);
  data.views[0].values = X;
  EXPECT_EQ(directions_of(prepare(data), 10)[0].cols(), 3);
}

}  // namespace
}  // namespace m3lak
