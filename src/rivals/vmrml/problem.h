// What VMRML minimises, and the part of its equations that belongs to one view.
//
// Of m views and n points, of which l are labelled (y_j = ±1; 0 if not), find (f_1 … f_m) with the
// least
//   (1/l) Σ_{j labelled} (y_j - Σ_i c_i f_i(x_j))²      loss
//   + gA Σ_i ‖f_i‖²                                     norms
//   + gB Σ_j Σ_{i<k} (f_i(x_j) - f_k(x_j))²             between views
//   + gW Σ_i F_iᵀ L_i F_i                               within views: F_i = (f_i(x_1) … f_i(x_n))
// It has the form f_i(x) = Σ_j a_ij k_i(x_j, x), so F_i = K_i a_i. With J = diag(1 if labelled) its
// derivative is 0 where, for each view i,
//   l gA a_i = c_i J (y - Σ_k c_k F_k) - l gB (m F_i - Σ_k F_k) - l gW L_i F_i.
// Stacked, (S G + l gA I) a = c ⊗ y, with G = blkdiag(K_i) and
//   S = (c cᵀ) ⊗ J + l gB (m I - 1 1ᵀ) ⊗ I + l gW blkdiag(L_i).
// S G + l gA I is never singular, as the eigenvalues of S G are real and not negative; but it is
// not symmetric either, and multiplying it until it is would square its condition number: hence LU.
#pragma once

#include <functional>

#include "m3lak/model.h"
#include "numeric/parallel.h"
#include "rivals/vmrml/vmrml.h"

namespace m3lak {

struct VmrmlProblem {
  /// Makes K_i, symmetric and without negative values. A solver asks when it needs it, twice even,
  /// so that not all of them have to be kept.
  std::function<Matrix(Index view)> kernel;

  Vector c;              ///< weight of each view
  Vector y;              ///< of each point: +1, -1, or 0 if it is not labelled
  VmrmlOptions options;  ///< gA, gB, gW and the kind of L

  Index views() const { return c.size(); }
  Index points() const { return y.size(); }

  /// The diagonal of J.
  Vector is_labelled() const { return (y.array() != 0).cast<double>(); }

  /// l gA, l gB, l gW.
  double l_gA() const { return is_labelled().sum() * options.gA; }
  double l_gB() const { return is_labelled().sum() * options.gB; }
  double l_gW() const { return is_labelled().sum() * options.gW; }
};

/// Columns of an n × n matrix that one worker makes at a time.
constexpr Index vmrml_columns_a_block = 128;

/// T_i = P_i K_i + l gA I with P_i = l gB m I + l gW L_i, given K_i.
void view_system(Workers& workers, const VmrmlProblem& problem, const Matrix& K,
                 Eigen::Ref<Matrix> T);

}  // namespace m3lak
