#include "model/missing_cells.h"

#include <cmath>

#include "numeric/distributions.h"

namespace m3lak {

void draw_missing_cells(const DenseMatrix& projection, double noise, const Matrix& z, Index begin,
                        const Streams& stream, SparseMatrix& fill) {
  if (fill.nonZeros() == 0) return;
  const double deviation = 1 / std::sqrt(noise);
  for (Index n = 0; n < z.cols(); ++n) {
    SparseMatrix::InnerIterator cell(fill, begin + n);
    if (!cell) continue;
    Stream own = stream(n);
    for (; cell; ++cell) {
      cell.valueRef() = projection.row(cell.col()).dot(z.col(n)) + deviation * normal(own);
    }
  }
}

}  // namespace m3lak
