#include "data/formats/svmlight/svmlight_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "data/formats/text/text.h"
#include "data/formats/text/text_number.h"

namespace m3lak {

namespace {

using Kind = TextNumber::Kind;

constexpr std::string_view blanks = " \t\r\n";

/// Cuts the next word off; empty if there is none.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(blanks)));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

TextFault fault(std::string_view word, const std::string& message) {
  return {word.data(), shown(word) + " " + message};
}

SvmlightCell parse_cell(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == word.npos) throw fault(word, "is not of the form index:value, such as 7:0.5");
  SvmlightCell cell{};
  const char* end = word.data() + colon;
  const auto [stop, error] = std::from_chars(word.data(), end, cell.index);
  const bool is_whole = error == std::errc() && stop == end;
  if (error == std::errc::result_out_of_range || cell.index == std::numeric_limits<int>::max()) {
    throw fault(word, "has an index that is too large");
  }
  if (!is_whole || cell.index < 0) {
    throw fault(word, "does not start with an index, a whole number that is not negative");
  }
  const TextNumber number = parse_number(word.substr(colon + 1));
  if (colon + 1 == word.size() || number.kind == Kind::text) {
    throw fault(word, "has no number after the colon");
  }
  if (number.kind == Kind::infinite) {
    throw fault(word, "is not finite; give a number, or nan if the value is not known");
  }
  cell.value = number.value;
  return cell;
}

void sort_cells(std::string_view line, std::vector<SvmlightCell>& cells) {
  const auto is_before = [](const SvmlightCell& a, const SvmlightCell& b) {
    return a.index < b.index;
  };
  if (!std::is_sorted(cells.begin(), cells.end(), is_before)) {
    std::sort(cells.begin(), cells.end(), is_before);
  }
  const auto twice = std::adjacent_find(
      cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.index == b.index; });
  if (twice != cells.end()) {
    throw TextFault{line.data(), fmt::format("the index {} occurs twice", twice->index)};
  }
}

}  // namespace

SvmlightLine parse_svmlight_line(std::string_view line) {
  const std::string_view whole = line;
  line = line.substr(0, line.find('#'));
  const std::size_t zero = line.find('\0');
  if (zero != line.npos) {
    throw TextFault{line.data() + zero, "a byte of zero: the file is damaged, or no text"};
  }
  SvmlightLine result;
  std::string_view word = next_word(line);
  if (!word.empty() && word.find(':') == word.npos) {
    result.label = word;
    word = next_word(line);
  }
  for (; !word.empty(); word = next_word(line)) {
    if (!word.starts_with("qid:")) result.cells.push_back(parse_cell(word));
  }
  sort_cells(whole, result.cells);
  return result;
}

}  // namespace m3lak
