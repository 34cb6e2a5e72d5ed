#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "m3lak/study.h"
#include "study/markdown.h"

namespace m3lak {

namespace {

using CellText = std::function<std::string(const Cell&)>;

std::string sized_table(const std::vector<Cell>& cells, const std::string& set,
                        const std::vector<std::string>& methods, const CellText& text) {
  std::set<Index> sizes;
  for (const Cell& cell : cells) {
    if (cell.data == set) sizes.insert(cell.trained);
  }
  TableRows rows = {{"trained on"}};
  rows.front().insert(rows.front().end(), methods.begin(), methods.end());
  for (const Index size : sizes) {
    rows.push_back({fmt::format("{}", size)});
    for (const std::string& method : methods) {
      const auto cell = std::ranges::find_if(cells, [&](const Cell& each) {
        return each.data == set && each.method == method && each.trained == size;
      });
      rows.back().push_back(cell == cells.end()     ? "-"
                            : cell->failure.empty() ? text(*cell)
                                                    : cell->failure);
    }
  }
  return markdown_table(rows);
}

}  // namespace

std::string scale_markdown(const std::vector<Cell>& cells, const std::vector<std::string>& sets,
                           const std::vector<std::string>& methods) {
  const std::pair<const char*, CellText> tables[] = {
      {"Accuracy (%)",
       [](const Cell& c) { return fmt::format("{:.1f}", 100 * c.measures.accuracy); }},
      {"Seconds of training",
       [](const Cell& c) { return fmt::format("{:.2f}", c.measures.fit_seconds); }},
      {"Peak memory (GB)", [](const Cell& c) { return fmt::format("{:.2f}", c.peak_bytes / 1e9); }},
  };
  std::string text;
  for (const std::string& set : sets) {
    for (const auto& [title, cell_text] : tables) {
      if (!text.empty()) text += "\n";
      text +=
          fmt::format("## {}: {}\n\n{}", set, title, sized_table(cells, set, methods, cell_text));
    }
  }
  return text;
}

}  // namespace m3lak
