// LU decomposition with partial pivoting, shared among workers.
#pragma once

#include <functional>
#include <vector>

#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak {

class LuFactors {
 public:
  /// Of a square matrix that is not singular, in its place: it must outlive the factors. The same
  /// for any number of workers. Throws Stopped if `stop` (which may be empty), asked now and then,
  /// says so.
  LuFactors(Workers& workers, Eigen::Ref<Matrix> matrix, const std::function<bool()>& stop);

  /// The x of A x = right, and of Aᵀ x = right.
  Matrix solve(Matrix right) const;
  Matrix solve_transposed(Matrix right) const;

 private:
  Eigen::Ref<Matrix> matrix_;  ///< U, and below its diagonal L, whose diagonal is 1
  std::vector<Index> swaps_;   ///< row k was swapped with this one, in order
};

}  // namespace m3lak
