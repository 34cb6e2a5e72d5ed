// Numbers in text files.
#pragma once

#include <string>
#include <string_view>

namespace m3lak {

struct TextNumber {
  enum class Kind { number, missing, infinite, text };
  Kind kind;
  double value;  // NaN unless it is a number
};

/// Empty, NA, N/A, NaN, null, None, ? and . (in any case) stand for a value that is not known.
bool is_missing(std::string_view text);

/// A text as a number, whatever blanks are around it. What is too large for a double is infinite.
TextNumber parse_number(std::string_view text);

/// Whether it would be a number if its comma were a point.
bool has_decimal_comma(std::string_view text);

/// Text of ASCII letters without capitals.
std::string lower_case(std::string_view text);

}  // namespace m3lak
