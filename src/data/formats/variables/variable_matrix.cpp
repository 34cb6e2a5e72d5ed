#include "data/formats/variables/variable_matrix.h"

#include <fmt/format.h>
#include <unistd.h>

#include <limits>

#include "m3lak/error.h"

namespace m3lak {

namespace {

constexpr std::uint64_t most = std::numeric_limits<int>::max();  // what SparseMatrix can count

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw BadData(fmt::format("{}: the sparse matrix is damaged: {}", origin, what));
}

void check_shape(std::uint64_t rows, std::uint64_t columns, std::size_t stored,
                 const std::string& origin) {
  if (rows > most || columns > most || stored > most) {
    throw BadData(fmt::format(
        "{}: a sparse matrix of {} × {} with {} values is too large; at most {} of each are read",
        origin, rows, columns, stored, most));
  }
  // Memory is needed for each row and column, so their numbers must be borne out by the values.
  constexpr std::uint64_t free = 10'000'000, for_a_value = 1000;
  if (std::max(rows, columns) > free + for_a_value * stored) {
    refuse(origin, fmt::format("it claims to be {} × {} with {} values", rows, columns, stored));
  }
}

void check_index(std::int64_t index, std::uint64_t size, const char* what,
                 const std::string& origin) {
  if (index < 0 || static_cast<std::uint64_t>(index) >= size) {
    refuse(origin, fmt::format("{} {} of {} (from 0)", what, index, size));
  }
}

void check_starts(const CompressedMatrix& matrix, const std::string& origin) {
  const std::uint64_t outer = matrix.by_columns ? matrix.columns : matrix.rows;
  const auto& starts = matrix.starts;
  if (starts.size() != outer + 1) {
    refuse(origin, fmt::format("{} starts for {} {}; there must be one more", starts.size(), outer,
                               matrix.by_columns ? "columns" : "rows"));
  }
  if (matrix.indices.size() != matrix.values.size()) {
    refuse(origin,
           fmt::format("{} indices for {} values", matrix.indices.size(), matrix.values.size()));
  }
  if (starts.front() != 0 || !std::is_sorted(starts.begin(), starts.end()) ||
      static_cast<std::uint64_t>(starts.back()) > matrix.values.size()) {
    refuse(origin, fmt::format("starts must rise from 0 to at most the number of values, {}",
                               matrix.values.size()));
  }
}

/// Whether each row's columns rise, as those of a SparseMatrix do.
bool is_ordered(const CompressedMatrix& matrix) {
  for (std::size_t i = 0; i + 1 < matrix.starts.size(); ++i) {
    for (std::int64_t k = matrix.starts[i] + 1; k < matrix.starts[i + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (matrix.indices[at - 1] >= matrix.indices[at]) return false;
    }
  }
  return true;
}

SparseMatrix from_ordered_rows(const CompressedMatrix& matrix) {
  SparseMatrix result(static_cast<Index>(matrix.rows), static_cast<Index>(matrix.columns));
  const auto stored = static_cast<std::size_t>(matrix.starts.back());
  result.resizeNonZeros(static_cast<Index>(stored));
  for (std::size_t i = 0; i < matrix.starts.size(); ++i) {
    result.outerIndexPtr()[i] = static_cast<int>(matrix.starts[i]);
  }
  for (std::size_t k = 0; k < stored; ++k) {
    result.innerIndexPtr()[k] = static_cast<int>(matrix.indices[k]);
    result.valuePtr()[k] = matrix.values[k];
  }
  return result;
}

}  // namespace

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, " × "));
}

std::uint64_t counted_bytes(const std::vector<std::uint64_t>& shape, std::uint64_t item_bytes,
                            const std::string& origin) {
  std::uint64_t bytes = item_bytes;
  for (const std::uint64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) {
      throw BadData(fmt::format("{}: claims to be {} values of {} bytes each, which no file holds",
                                origin, shape_text(shape), item_bytes));
    }
  }
  return bytes;
}

std::uint64_t checked_bytes(const std::vector<std::uint64_t>& shape, std::uint64_t item_bytes,
                            const std::string& origin) {
  const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const bool empty = std::find(shape.begin(), shape.end(), 0U) != shape.end();
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) {
    // An array of no values has no bytes, but its other sizes must still be counts.
    if (size > memory || (!empty && size > memory / sizeof(double) / count)) {
      throw BadData(fmt::format(
          "{}: claims to be {} values, more than the {:.1f} GB of memory of this machine", origin,
          shape_text(shape), static_cast<double>(memory) / 1e9));
    }
    count *= empty ? 1 : size;
  }
  if (empty) return 0;
  if (item_bytes > std::numeric_limits<std::uint64_t>::max() / count) {
    throw BadData(fmt::format("{}: claims to be {} values of {} bytes each", origin,
                              shape_text(shape), item_bytes));
  }
  return count * item_bytes;
}

SparseMatrix to_sparse(const CompressedMatrix& matrix, const std::string& origin) {
  check_shape(matrix.rows, matrix.columns, matrix.values.size(), origin);
  check_starts(matrix, origin);
  const std::uint64_t inner = matrix.by_columns ? matrix.rows : matrix.columns;
  const auto stored = static_cast<std::size_t>(matrix.starts.back());
  for (std::size_t k = 0; k < stored; ++k) {
    check_index(matrix.indices[k], inner, matrix.by_columns ? "row" : "column", origin);
  }
  if (!matrix.by_columns && is_ordered(matrix)) return from_ordered_rows(matrix);

  std::vector<std::int64_t> outer(stored);
  for (std::size_t i = 0; i + 1 < matrix.starts.size(); ++i) {
    std::fill(outer.begin() + matrix.starts[i], outer.begin() + matrix.starts[i + 1],
              static_cast<std::int64_t>(i));
  }
  const std::span<const std::int64_t> indices(matrix.indices.data(), stored);
  const std::span<const double> values(matrix.values.data(), stored);
  return matrix.by_columns ? to_sparse(matrix.rows, matrix.columns, indices, outer, values, origin)
                           : to_sparse(matrix.rows, matrix.columns, outer, indices, values, origin);
}

SparseMatrix to_sparse(std::uint64_t rows, std::uint64_t columns,
                       std::span<const std::int64_t> row_of,
                       std::span<const std::int64_t> column_of, std::span<const double> values,
                       const std::string& origin) {
  check_shape(rows, columns, values.size(), origin);
  if (row_of.size() != values.size() || column_of.size() != values.size()) {
    refuse(origin, fmt::format("{} rows and {} columns for {} values", row_of.size(),
                               column_of.size(), values.size()));
  }
  std::vector<Eigen::Triplet<double, int>> cells;
  cells.reserve(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    check_index(row_of[k], rows, "row", origin);
    check_index(column_of[k], columns, "column", origin);
    cells.emplace_back(static_cast<int>(row_of[k]), static_cast<int>(column_of[k]), values[k]);
  }
  SparseMatrix result(static_cast<Index>(rows), static_cast<Index>(columns));
  result.setFromTriplets(cells.begin(), cells.end());
  return result;
}

}  // namespace m3lak
