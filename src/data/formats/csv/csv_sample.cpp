#include "data/formats/csv/csv_sample.h"

#include <algorithm>
#include <set>

#include "data/formats/csv/csv_cursor.h"
#include "data/formats/text/text.h"
#include "data/formats/text/text_number.h"

namespace m3lak {

namespace {

using Kind = TextNumber::Kind;

std::size_t count_cells(std::string_view record, char delimiter) {
  std::size_t cells = 1;
  bool inside = false;
  for (const char c : record) {
    inside ^= c == '"';
    cells += !inside && c == delimiter;
  }
  return cells;
}

/// Whether all records have as many cells, several; the first may be the header of R, which does
/// not name the column of row names.
bool agree(const std::vector<std::size_t>& cells) {
  const std::size_t width = cells.back();
  const bool is_first_fine = cells.front() == width || (cells.front() + 1 == width && width > 2);
  return width > 1 && is_first_fine &&
         std::all_of(cells.begin() + 1, cells.end(), [&](std::size_t n) { return n == width; });
}

/// Blanks may also be part of a label ("stage 2"). They separate cells if all cells of the first
/// line are numbers; or if lines agree, some column holds numbers, and the first column holds
/// numbers or different names.
bool blanks_separate(const std::vector<std::string_view>& records) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> widths;
  for (const std::string_view record : records) {
    rows.push_back(cells_of(record, ' '));
    widths.push_back(rows.back().size());
  }
  const auto is_number = [](const std::string& cell) {
    return parse_number(cell).kind == Kind::number;
  };
  const auto& first = rows.front();
  if (first.size() > 1 && std::all_of(first.begin(), first.end(), is_number)) return true;
  if (!agree(widths)) return false;

  const auto all_numbers = [&](std::size_t column) {
    return std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
      return is_number(row[column]) || is_missing(row[column]);
    });
  };
  std::set<std::string> names;
  for (const auto& row : rows) names.insert(row.front());
  if (names.size() < rows.size() && !all_numbers(0)) return false;
  for (std::size_t column = 0; column < widths.back(); ++column) {
    if (rows.size() > 1 && all_numbers(column)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string_view> first_records(std::string_view text) {
  constexpr std::size_t enough_records = 32, enough_bytes = std::size_t{1} << 20;
  std::vector<std::string_view> records;
  for (std::size_t at = 0; at < text.size() && records.size() < enough_records;) {
    if (at > enough_bytes && records.size() >= 2) break;
    const std::size_t next = record_end(text, at, Quotes::bind_lines);
    const std::string_view record = text.substr(at, next - at);
    // Tabs alone may be a record of empty cells.
    if (record.find_first_not_of(" \r\n") != record.npos) records.push_back(record);
    at = next;
  }
  return records;
}

char find_delimiter(const std::vector<std::string_view>& records) {
  char widest = ',';
  std::size_t width = 1;
  for (const char delimiter : {'\t', ';', ','}) {
    std::vector<std::size_t> cells;
    for (const std::string_view record : records) cells.push_back(count_cells(record, delimiter));
    if (agree(cells)) return delimiter;
    if (cells.front() > width) {
      width = cells.front();
      widest = delimiter;
    }
  }
  if (width > 1) return widest;
  return blanks_separate(records) ? ' ' : ',';
}

std::vector<std::string> cells_of(std::string_view record, char delimiter) {
  std::vector<std::string> cells;
  CsvCursor cursor(record, {delimiter, true});
  cursor.next_record();
  while (cursor.more()) cells.emplace_back(cursor.read_cell());
  return cells;
}

}  // namespace m3lak
