// Products with a view as it is meant: its rows less View::offset, absent rows zero. A sparse view
// that is centred is never made dense. Missing cells must have been filled.
#pragma once

#include "m3lak/dataset.h"

namespace m3lak {

/// X B, one row an instance.
DenseMatrix times(const View& view, const DenseMatrix& right);

/// Xᵀ A, one row a feature.
DenseMatrix transposed_times(const View& view, const DenseMatrix& left);

/// ‖X‖², the sum of all squares.
double squared_norm(const View& view);

}  // namespace m3lak
