// The data as both engines read it.
#pragma once

#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak::bm2smvl_parts {

/// Which columns are a view's.
struct Columns {
  Index first = 0, count = 0;
};

struct Problem {
  DenseMatrix X;               ///< all views side by side, one row an instance
  std::vector<Columns> views;  ///< in X
  Vector y;                    ///< +1 or -1
  Vector column_sums;
  Vector squared_norms;  ///< of each view, over all instances
  Blocks blocks;         ///< of instances

  Index instances() const { return X.rows(); }
  Index features() const { return X.cols(); }
};

Problem make_problem(std::vector<DenseMatrix> views, Vector y);

/// What classifies from x alone: weightsᵀx + intercept.
struct LinearRule {
  Vector weights;
  double intercept = 0;
};

/// Loadings weighed by the precision of what a view has besides: (VVᵀ + I/τ)⁻¹W, V may be empty.
Matrix weighed_loadings(const Matrix& W, const Matrix& V, double tau);

/// The latent of an instance whose label is not known is E[h] = A⁻¹ Bᵀ(x - μ), where A is the
/// precision of h given x and B the loadings weighed by the precision of the noise; its score is
/// wᵀE[h] + b. That is linear in x.
LinearRule rule_without_labels(const Matrix& A, const Matrix& B, const Vector& mu,
                               const Vector& eta);

}  // namespace m3lak::bm2smvl_parts
