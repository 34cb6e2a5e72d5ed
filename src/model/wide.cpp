#include "model/wide.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "data/gram.h"
#include "data/view_algebra.h"
#include "numeric/distributions.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

namespace {

/// Directions in which the data has a smaller share of its largest variance are noise of rounding.
constexpr double negligible = 1e-12;

/// Beyond, the eigenvectors of XXᵀ take too long.
constexpr Index most_instances = 3000;

}  // namespace

bool worth_turning(const View& view, Index latent_and_private) {
  const auto N = static_cast<double>(view.instances()), D = static_cast<double>(view.features());
  const auto k = static_cast<double>(latent_and_private);
  if (view.instances() > most_instances || D < N + k) return false;
  // In multiplications and additions: two products with X, and for each row of [W V] its normals
  // (each takes as long as 200 of them), a triangular solve and its Gram matrix. A stored value of
  // a sparse view costs about as much as four of a dense one.
  const double row = k * (200 + 4 * k);
  const double stored = (view.is_sparse() ? 4 : 1) * static_cast<double>(view.stored());
  return 2 * (4 * N * N * k + N * row) < 4 * stored * k + D * row;
}

// XXᵀ = E Λ Eᵀ gives Q = XᵀE Λ^{-1/2} and XQ = E Λ^{1/2}.
DenseMatrix turn(View& view) {
  const Index N = view.instances();
  const Matrix gram = products(view, view);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(gram);
  const Vector& values = eigen.eigenvalues();
  const Index kept = (values.array() > negligible * std::max(values[N - 1], 0.0)).count();
  const Vector roots = values.tail(kept).cwiseSqrt();
  DenseMatrix turned = eigen.eigenvectors().rightCols(kept) * roots.asDiagonal();
  DenseMatrix Q = transposed_times(view, eigen.eigenvectors().rightCols(kept)) *
                  roots.cwiseInverse().asDiagonal();
  view.values = std::move(turned);
  view.offset.resize(0);
  return Q;
}

Matrix draw_unseen(Stream& stream, const Matrix& L, Index unseen) {
  const Index k = L.rows();
  Matrix F = wishart(stream, static_cast<double>(unseen), Matrix::Identity(k, k));
  F.triangularView<Eigen::StrictlyUpper>().setZero();
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(F);
  return F;
}

// A normal matrix orthogonal to Q, made orthonormal, is a uniformly drawn frame.
DenseMatrix turn_back(Stream& stream, const DenseMatrix& Q, const DenseMatrix& P, const Matrix& F) {
  DenseMatrix E(Q.rows(), F.rows());
  fill_normal(stream, {E.data(), static_cast<std::size_t>(E.size())});
  E -= Q * (Q.transpose() * E).eval();
  const Eigen::LLT<Matrix> gram(Matrix(E.transpose() * E));
  const Matrix shape = gram.matrixU().solve(Matrix(F.transpose()));
  return Q * P + E * shape;
}

}  // namespace m3lak
