// Precisions and what is needed of their inverses.
#pragma once

#include "m3lak/dataset.h"
#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak::bemkl_parts {

/// A precision A + diag(d) = LLᵀ and its inverse, the covariance.
class FactoredPrecision {
 public:
  /// Of A the lower half is read. If rounding leaves the sum not positive definite, d is raised by
  /// as little as helps.
  void factor(const Matrix& A, const Vector& d);

  /// d, as it was raised.
  const Vector& diagonal() const { return d_; }

  /// The covariance: its logarithmic determinant, its product with b, its diagonal, and all of it
  /// (symmetric to the last bit).
  double log_determinant() const;
  Vector times(const Vector& b) const;
  Vector variances(Workers& workers) const;
  Matrix covariance() const;

 private:
  Matrix L_;
  Vector d_;
};

}  // namespace m3lak::bemkl_parts
