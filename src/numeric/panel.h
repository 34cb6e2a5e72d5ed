// Panels: matrices of a few columns, one column an instance, stored row by row, so that a row is
// lanes: arithmetic works on all instances of the panel at once. All that a move of a panel needs
// fits the first-level cache.
#pragma once

#include <Eigen/Core>

#include "numeric/lanes.h"
#include "numeric/pieces.h"

namespace m3lak {

template <class Value>
using Panel = Eigen::Matrix<Value, Eigen::Dynamic, lanes<Value>, Eigen::RowMajor>;

namespace panel_parts {

/// `rows` rows of the product. A's elements are `row_stride` and `column_stride` apart.
template <int rows, class Value>
void multiply_rows(const Value* a, Eigen::Index row_stride, Eigen::Index column_stride,
                   Eigen::Index inner, const Value* b, Value* out) {
  Lanes<Value> sum[rows] = {};
  for (Eigen::Index k = 0; k < inner; ++k, a += column_stride, b += lanes<Value>) {
    const Lanes<Value> row = load(b);
    for (int i = 0; i < rows; ++i) sum[i] += a[i * row_stride] * row;
  }
  for (int i = 0; i < rows; ++i) store(out + i * lanes<Value>, sum[i]);
}

template <class Value>
void multiply(const Value* a, Eigen::Index row_stride, Eigen::Index column_stride,
              Eigen::Index rows, Eigen::Index inner, const Value* b, Value* out) {
  // As many accumulators as registers hold.
  constexpr int at_once = lane_bytes == 64 ? 16 : 8;
  in_pieces<at_once>(rows, [&](Eigen::Index row, auto count) {
    multiply_rows<count()>(a + row * row_stride, row_stride, column_stride, inner, b,
                           out + row * lanes<Value>);
  });
}

}  // namespace panel_parts

/// out = A · panel, for A stored by columns.
template <class Value>
void times(const Eigen::Ref<const Eigen::MatrixX<Value>>& A, const Panel<Value>& panel,
           Panel<Value>& out) {
  out.resize(A.rows(), panel.cols());
  panel_parts::multiply(A.data(), 1, A.outerStride(), A.rows(), A.cols(), panel.data(), out.data());
}

/// out = Aᵀ · panel
template <class Value>
void transposed_times(const Eigen::Ref<const Eigen::MatrixX<Value>>& A, const Panel<Value>& panel,
                      Panel<Value>& out) {
  out.resize(A.cols(), panel.cols());
  panel_parts::multiply(A.data(), A.outerStride(), 1, A.cols(), A.rows(), panel.data(), out.data());
}

/// Columns begin … begin + count - 1 of a matrix, and zeros where these do not fill the panel.
template <class Value, class Derived>
void take_columns(const Eigen::MatrixBase<Derived>& matrix, Eigen::Index begin,
                  Panel<Value>& panel) {
  const Eigen::Index count = std::min<Eigen::Index>(lanes<Value>, matrix.cols() - begin);
  panel.setZero(matrix.rows(), lanes<Value>);
  panel.leftCols(count) = matrix.middleCols(begin, count).template cast<Value>();
}

}  // namespace m3lak
