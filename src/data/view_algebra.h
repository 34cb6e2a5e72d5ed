// Products with a view as it is meant: its rows less View::offset, absent rows zero. A sparse view
// that is centred is never made dense. Missing cells must have been filled.
#pragma once

#include "m3lak/dataset.h"
#include "numeric/products.h"

namespace m3lak {

/// X B, one row an instance; or added to a sum.
DenseMatrix times(const View& view, const DenseMatrix& right);
void add_times(const View& view, const DenseMatrix& right, DenseMatrix& sum);

/// Xᵀ A, one row a feature.
DenseMatrix transposed_times(const View& view, const DenseMatrix& left);

/// The same for rows begin, begin + 1, … that all have the view, added to a sum: as many rows of X
/// B as the sum has, where B and the sum have columns padded to whole lanes; and Xᵀ A of as many as
/// A has.
template <class Value>
void add_rows_times(const View& view, Index begin, const RowMatrix<Value>& right,
                    RowMatrix<Value>& sum);
template <class Value>
void add_transposed_times(const View& view, Index begin, const Rows<Value>& left,
                          Eigen::MatrixX<Value>& sum);

/// As many of these rows as `rows` has, put into it.
void put_rows(const View& view, Index begin, Eigen::Ref<DenseMatrix, 0, Eigen::OuterStride<>> rows);

/// The sum of all squares of these rows, which have the view.
double squared_norm(const View& view, Index begin, Index rows);

}  // namespace m3lak
