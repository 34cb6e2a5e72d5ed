// The values of a NumPy array in the .npy format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/formats/npy/npy_header.h"
#include "data/table.h"

namespace m3lak {

/// An array in memory that is not its own. Only its header was read.
class NpyArray {
 public:
  /// Throws BadData, which begins with `origin`, unless the header is sound and the values are all
  /// there, and memory could hold them all if `whole`.
  NpyArray(std::span<const std::byte> bytes, std::string origin, bool whole = true);

  const NpyHeader& header() const { return header_; }

  /// In float if the array is, else in double; or some of the rows.
  ReadMatrix matrix() const;
  ReadMatrix matrix(Block rows) const;

  /// Of a matrix; a vector is one column. Throws BadData if there are more sizes.
  Index rows() const;
  Index columns() const;

  /// The first value of a matrix that lies in memory as a Borrowed<Value> is to; null if it has
  /// other types of numbers or another order.
  template <class Value>
  const Value* in_place() const;

  std::vector<std::string> texts() const;
  std::vector<double> numbers() const;
  std::vector<std::int64_t> integers() const;

 private:
  void require_numbers() const;
  void require_matrix() const;
  template <class Dense>
  Dense matrix_of(Block rows) const;

  std::string origin_;
  NpyHeader header_;
  std::span<const std::byte> values_;
};

/// Texts as an array of NumPy's type U: the header and the values.
std::string npy_texts(std::span<const std::string> texts, const std::string& origin);

}  // namespace m3lak
