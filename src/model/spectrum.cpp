#include "model/spectrum.h"

#include <Eigen/Eigenvalues>

namespace m3lak {

Spectrum leading(const Matrix& matrix, Index most) {
  // Directions in which the data has a smaller share of its largest variance are rounding.
  constexpr double negligible = 1e-10;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(matrix);
  const Vector& values = solver.eigenvalues();
  const Index width = values.size();
  const Index found = (values.array() > negligible * std::max(values[width - 1], 0.0)).count();
  const Index kept = std::min(most, found);
  return {values.tail(kept).reverse(), solver.eigenvectors().rightCols(kept).rowwise().reverse()};
}

}  // namespace m3lak
