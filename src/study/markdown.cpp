#include "study/markdown.h"

#include <algorithm>

namespace m3lak {

std::string markdown_table(const TableRows& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 3);
  const auto length = [](const std::string& text) {  // in characters, not in bytes
    std::size_t count = 0;
    for (const char c : text) count += (c & 0xC0) != 0x80;
    return count;
  };
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], length(row[c]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string pad(widths[c] - length(rows[r][c]), ' ');
      text += c == 0 ? "| " + rows[r][c] + pad + " |" : " " + pad + rows[r][c] + " |";
    }
    text += "\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += c == 0 ? "| " + std::string(widths[c], '-') + " |"
                     : " " + std::string(widths[c] - 1, '-') + ": |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace m3lak
