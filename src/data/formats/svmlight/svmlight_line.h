// One line of an svmlight file.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace m3lak {

struct SvmlightCell {
  int index;
  double value;  // NaN: not known
};

struct SvmlightLine {
  std::optional<std::string_view> label;
  std::vector<SvmlightCell> cells;  // by index, each once; zeros included

  bool is_empty() const { return !label && cells.empty(); }
};

/// Throws TextFault.
SvmlightLine parse_svmlight_line(std::string_view line);

}  // namespace m3lak
