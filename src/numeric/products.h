// Products of many rows (instances) with small matrices. Nothing is packed: rows are broadcast from
// where they are, and the small matrix stays in cache.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "numeric/lanes.h"
#include "numeric/pieces.h"

namespace m3lak {

template <class Value>
using RowMatrix = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of a matrix stored by rows, wherever it is.
template <class Value>
using Rows = Eigen::Ref<const RowMatrix<Value>, 0, Eigen::OuterStride<>>;

/// `columns` rounded up to whole lanes.
template <class Value>
constexpr Eigen::Index padded(Eigen::Index columns) {
  return (columns + lanes<Value> - 1) / lanes<Value> * lanes<Value>;
}

/// A matrix by rows, its columns padded with zeros.
template <class Value, class Derived>
RowMatrix<Value> padded(const Eigen::MatrixBase<Derived>& matrix) {
  RowMatrix<Value> result = RowMatrix<Value>::Zero(matrix.rows(), padded<Value>(matrix.cols()));
  result.leftCols(matrix.cols()) = matrix.template cast<Value>();
  return result;
}

namespace product_parts {

/// Accumulators that registers hold: 8 × 3 of AVX-512's 32, 4 × 3 of the others' 16.
constexpr int rows_at_once = lane_bytes == 64 ? 8 : 4;
constexpr int vectors_at_once = 3;

/// So many rows of the small matrix at once that what a tile needs of them stays in the first-level
/// cache.
constexpr Eigen::Index most_inner = 128;

template <int rows, int vectors, class Value>
void add_product_tile(const Value* x, Eigen::Index x_stride, Eigen::Index inner, const Value* right,
                      Eigen::Index right_stride, Value* out, Eigen::Index out_stride) {
  constexpr int width = lanes<Value>;
  Lanes<Value> sum[rows][vectors];
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) sum[i][v] = load(out + i * out_stride + v * width);
  }
  const Value* next = x + 2 * rows * x_stride;  // comes from memory meanwhile, line by line
  for (Eigen::Index k = 0; k < inner; ++k, right += right_stride) {
    __builtin_prefetch(next + k % 8 * x_stride + k / 8 * 8, 0, 2);
    Lanes<Value> row[vectors];
    for (int v = 0; v < vectors; ++v) row[v] = load(right + v * width);
    for (int i = 0; i < rows; ++i) {
      const Value each = x[i * x_stride + k];
      for (int v = 0; v < vectors; ++v) sum[i][v] += each * row[v];
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) store(out + i * out_stride + v * width, sum[i][v]);
  }
}

/// So far ahead a row is fetched into the first-level cache.
constexpr Eigen::Index rows_ahead = 8;

/// out(d, k) += Σ_n x(n, d) z(n, k) for two lanes of d and `columns` of k.
template <int columns, class Value>
void add_outer_tile(const Value* x, Eigen::Index x_stride, const Value* z, Eigen::Index z_stride,
                    Eigen::Index count, Value* out, Eigen::Index out_stride) {
  constexpr int width = lanes<Value>;
  Lanes<Value> sum[columns][2];
  for (int k = 0; k < columns; ++k) {
    sum[k][0] = load(out + k * out_stride);
    sum[k][1] = load(out + k * out_stride + width);
  }
  for (Eigen::Index n = 0; n < count; ++n, x += x_stride, z += z_stride) {
    __builtin_prefetch(x + rows_ahead * x_stride);
    __builtin_prefetch(x + rows_ahead * x_stride + width);
    const Lanes<Value> left = load(x), right = load(x + width);
    for (int k = 0; k < columns; ++k) {
      sum[k][0] += z[k] * left;
      sum[k][1] += z[k] * right;
    }
  }
  for (int k = 0; k < columns; ++k) {
    store(out + k * out_stride, sum[k][0]);
    store(out + k * out_stride + width, sum[k][1]);
  }
}

}  // namespace product_parts

/// sum += X · right. The columns of `right` and `sum` must be whole lanes (see `padded`).
template <class Value>
void add_product(const Rows<Value>& X, const RowMatrix<Value>& right, RowMatrix<Value>& sum) {
  using namespace product_parts;
  constexpr int width = lanes<Value>;
  const Eigen::Index chunks = (X.cols() + most_inner - 1) / most_inner;
  for (Eigen::Index chunk = 0; chunk < chunks; ++chunk) {
    const Eigen::Index begin = chunk * X.cols() / chunks, end = (chunk + 1) * X.cols() / chunks;
    in_pieces<vectors_at_once>(right.cols() / width, [&](Eigen::Index vector, auto vectors) {
      in_pieces<rows_at_once>(X.rows(), [&](Eigen::Index row, auto rows) {
        add_product_tile<rows(), vectors()>(
            X.data() + row * X.outerStride() + begin, X.outerStride(), end - begin,
            right.data() + begin * right.outerStride() + vector * width, right.outerStride(),
            sum.data() + row * sum.outerStride() + vector * width, sum.outerStride());
      });
    });
  }
}

/// sum += Xᵀ Z. If `lower`, only what is on and below the diagonal matters (and more may be added).
template <class Value>
void add_outer(const Rows<Value>& X, const Rows<Value>& Z, bool lower,
               Eigen::Ref<Eigen::MatrixX<Value>, 0, Eigen::OuterStride<>> sum) {
  using namespace product_parts;
  constexpr Eigen::Index width = 2 * lanes<Value>;
  const Eigen::Index whole = X.cols() / width * width, rest = X.cols() - whole;
  for (Eigen::Index d = 0; d < whole; d += width) {
    const Eigen::Index columns = lower ? std::min(Z.cols(), d + width) : Z.cols();
    in_pieces<8>(columns, [&](Eigen::Index k, auto count) {
      add_outer_tile<count()>(X.data() + d, X.outerStride(), Z.data() + k, Z.outerStride(),
                              X.rows(), sum.data() + k * sum.outerStride() + d, sum.outerStride());
    });
  }
  if (rest > 0) sum.bottomRows(rest).noalias() += X.rightCols(rest).transpose() * Z;
}

}  // namespace m3lak
