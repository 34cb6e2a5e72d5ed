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
  /// there.
  NpyArray(std::span<const std::byte> bytes, std::string origin);

  const NpyHeader& header() const { return header_; }

  /// In float if the array is, else in double.
  ReadMatrix matrix() const;
  std::vector<std::string> texts() const;
  std::vector<double> numbers() const;
  std::vector<std::int64_t> integers() const;

 private:
  void require_numbers() const;
  template <class Dense>
  Dense matrix_of() const;

  std::string origin_;
  NpyHeader header_;
  std::span<const std::byte> values_;
};

/// Texts as an array of NumPy's type U: the header and the values.
std::string npy_texts(std::span<const std::string> texts, const std::string& origin);

}  // namespace m3lak
