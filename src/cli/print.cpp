#include "cli/print.h"

#include <algorithm>
#include <cctype>

#include "m3lak/error.h"

namespace m3lak::cli {

namespace {

/// In characters, not bytes: continuation bytes of UTF-8 do not count.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool is_number_column(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  return std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
    const std::string& cell = row[column];
    return cell.empty() || cell == "-" || std::isdigit(static_cast<unsigned char>(cell[0])) != 0;
  });
}

}  // namespace

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) != 0) {
    throw Error("cannot write to standard output");
  }
}

std::string with_commas(long long number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string padding(widths[c] - width(row[c]), ' ');
      line += c == 0 ? "  " : "   ";
      line += is_number_column(rows, c) ? padding + row[c] : row[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace m3lak::cli
