// Matrices from the arrays in which files of variables hold them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data/table.h"

namespace m3lak {

using Matrix = ReadMatrix;

inline Index row_count(const Matrix& matrix) {
  return std::visit([](const auto& m) { return Index{m.rows()}; }, matrix);
}
inline Index column_count(const Matrix& matrix) {
  return std::visit([](const auto& m) { return Index{m.cols()}; }, matrix);
}

/// "200 × 5", for messages.
std::string shape_text(const std::vector<std::uint64_t>& shape);

/// The bytes of an array of this shape, of which there may be more than memory holds; throws
/// BadData, which begins with `origin`, if they cannot be counted.
std::uint64_t counted_bytes(const std::vector<std::uint64_t>& shape, std::uint64_t item_bytes,
                            const std::string& origin);

/// The bytes of an array of this shape; throws BadData, which begins with `origin`, if no memory
/// could hold it as doubles. To be called before anything is allocated.
std::uint64_t checked_bytes(const std::vector<std::uint64_t>& shape, std::uint64_t item_bytes,
                            const std::string& origin);

/// `part` of the rows of the matrix with value(k) at place k of column-major order.
template <class Dense = DenseMatrix, class Value>
Dense from_column_major(Index rows, Index columns, Block part, const Value& value) {
  constexpr Index tile = 32;  // so that both sides of the transposition stay in cache
  Dense matrix(part.size, columns);
  for (Index r = 0; r < part.size; r += tile) {
    for (Index c = 0; c < columns; c += tile) {
      const Index last_row = std::min(part.size, r + tile);
      const Index last_column = std::min(columns, c + tile);
      for (Index j = c; j < last_column; ++j) {
        for (Index i = r; i < last_row; ++i) matrix(i, j) = value(j * rows + part.begin + i);
      }
    }
  }
  return matrix;
}

/// All of its rows.
template <class Dense = DenseMatrix, class Value>
Dense from_column_major(Index rows, Index columns, const Value& value) {
  return from_column_major<Dense>(rows, columns, Block{0, 0, rows}, value);
}

/// A sparse matrix as files hold it: by rows (CSR) or by columns (CSC).
struct CompressedMatrix {
  std::uint64_t rows = 0, columns = 0;
  bool by_columns = false;
  std::vector<std::int64_t> starts;   // of each row or column in `indices`, and the end of the last
  std::vector<std::int64_t> indices;  // from 0
  std::vector<double> values;
};

/// Values of one cell are added up, as in SciPy. Throws BadData, which begins with `origin`, if the
/// arrays do not belong together.
SparseMatrix to_sparse(const CompressedMatrix& matrix, const std::string& origin);

/// The same from rows, columns and values of the cells (COO).
SparseMatrix to_sparse(std::uint64_t rows, std::uint64_t columns,
                       std::span<const std::int64_t> row_of,
                       std::span<const std::int64_t> column_of, std::span<const double> values,
                       const std::string& origin);

}  // namespace m3lak
