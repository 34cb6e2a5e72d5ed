// Inner products of instances, over one view or all of them side by side.
#pragma once

#include "m3lak/dataset.h"
#include "m3lak/model.h"

namespace m3lak {

/// X Yᵀ of scaled and centred views of the same kind. What is missing is 0: the mean.
Matrix products(const View& x, const View& y);
Matrix products(const Dataset& x, const Dataset& y);

Vector squared_norms(const Dataset& scaled);

/// The same instances as rows: of one view, or of all side by side.
DenseMatrix rows_of(const View& view);
DenseMatrix rows_of(const Dataset& scaled);

/// exp(-γ ‖x - y‖²) from inner products and squared norms.
Matrix radial(const Matrix& products, const Vector& x_norms, const Vector& y_norms, double gamma);

}  // namespace m3lak
