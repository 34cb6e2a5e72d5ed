// The header of NumPy's .npy format, which says what array follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace m3lak {

/// What the header of an .npy file says.
struct NpyHeader {
  char kind = '\0';  // b, i, u, f: numbers; U, S: texts; others are not read
  std::uint64_t item_bytes = 0;
  bool big_endian = false;
  bool by_columns = false;  // Fortran's order
  std::vector<std::uint64_t> shape;
  std::string type;     // "float64": for messages
  std::size_t end = 0;  // where the values begin

  bool is_number() const;
  bool is_text() const { return kind == 'U' || kind == 'S'; }

  /// Values in all; only if the size was checked.
  std::size_t count() const;

  /// `bytes` may be the beginning of the file only. Throws BadData, which begins with `origin`.
  static NpyHeader parse(std::span<const std::byte> bytes, const std::string& origin);
};

/// What precedes the values of an array of this type ("<f8") in C's order.
std::string npy_header(std::string_view type, const std::vector<std::uint64_t>& shape);

}  // namespace m3lak
