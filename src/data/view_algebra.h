// Products with a view as it is meant: its rows less View::offset, absent rows zero. A sparse view
// that is centred is never made dense. Missing cells must have been filled.
#pragma once

#include "m3lak/dataset.h"

namespace m3lak {

/// X B, one row an instance.
DenseMatrix times(const View& view, const DenseMatrix& right);

/// Xᵀ A, one row a feature.
DenseMatrix transposed_times(const View& view, const DenseMatrix& left);

/// The same for rows begin, begin + 1, … that all have the view, with instances as columns: (X B)ᵀ,
/// and its counterpart added to a sum.
Eigen::MatrixXd rows_times(const View& view, Index begin, Index rows, const DenseMatrix& right);
void add_transposed_times(const View& view, Index begin, const Eigen::MatrixXd& left,
                          DenseMatrix& sum);

/// ‖X‖², the sum of all squares.
double squared_norm(const View& view);

}  // namespace m3lak
