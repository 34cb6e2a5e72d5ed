#include "data/formats/text/text_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace m3lak {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_missing(std::string_view text) {
  static constexpr std::string_view words[] = {"",     "na",   "n/a", "nan", "-nan",
                                               "null", "none", "?",   "."};
  return text.size() <= 4 &&
         std::find(std::begin(words), std::end(words), lower_case(text)) != std::end(words);
}

TextNumber parse_number(std::string_view text) {
  using Kind = TextNumber::Kind;
  text = without_blanks(text);
  if (is_missing(text)) return {Kind::missing, unknown};
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);

  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return {Kind::text, unknown};
  }
  if (error == std::errc::result_out_of_range) {
    const bool is_tiny = text.find("e-") != text.npos || text.find("E-") != text.npos ||
                         text.find_first_not_of("-0") == text.find('.');
    if (is_tiny) return {Kind::number, 0.0};
    return {Kind::infinite, unknown};
  }
  if (std::isinf(value)) return {Kind::infinite, unknown};
  if (std::isnan(value)) return {Kind::text, unknown};  // as in nan(3)
  return {Kind::number, value};
}

bool has_decimal_comma(std::string_view text) {
  if (std::count(text.begin(), text.end(), ',') != 1) return false;
  std::string point(text);
  std::replace(point.begin(), point.end(), ',', '.');
  return parse_number(point).kind == TextNumber::Kind::number;
}

}  // namespace m3lak
