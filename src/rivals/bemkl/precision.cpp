#include "rivals/bemkl/precision.h"

#include <Eigen/Cholesky>

namespace m3lak::bemkl_parts {

void FactoredPrecision::factor(const Matrix& A, const Vector& d) {
  d_ = d;
  const double trace = A.diagonal().sum() + d.sum();
  for (double raise = 1e-15 * trace; true; raise *= 10) {
    L_ = A;
    L_.diagonal() += d_;
    const Eigen::LLT<Eigen::Ref<Matrix>> in_place(L_);
    if (in_place.info() == Eigen::Success) return;
    d_ = d.array() + raise;
  }
}

double FactoredPrecision::log_determinant() const { return -2 * L_.diagonal().array().log().sum(); }

Vector FactoredPrecision::times(const Vector& b) const {
  const auto L = L_.triangularView<Eigen::Lower>();
  return L.transpose().solve(L.solve(b));
}

// The covariance is L⁻ᵀL⁻¹: variances are the squared norms of the columns of L⁻¹, and a column of
// it starts at the diagonal.
Vector FactoredPrecision::variances(Workers& workers) const {
  constexpr Index columns_a_block = 64;
  const Index N = L_.rows();
  Vector variances(N);
  for_each_block(workers, {N, columns_a_block}, [&](const Block& block) {
    const Index below = N - block.begin;
    Matrix inverse = Matrix::Identity(below, block.size);
    L_.bottomRightCorner(below, below).triangularView<Eigen::Lower>().solveInPlace(inverse);
    variances.segment(block.begin, block.size) = inverse.colwise().squaredNorm().transpose();
  });
  return variances;
}

Matrix FactoredPrecision::covariance() const {
  Matrix inverse = Matrix::Identity(L_.rows(), L_.cols());
  L_.triangularView<Eigen::Lower>().solveInPlace(inverse);
  Matrix covariance = Matrix::Zero(L_.rows(), L_.cols());
  covariance.selfadjointView<Eigen::Lower>().rankUpdate(inverse.transpose());
  covariance.triangularView<Eigen::StrictlyUpper>() = covariance.transpose();
  return covariance;
}

}  // namespace m3lak::bemkl_parts
