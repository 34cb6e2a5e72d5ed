// Results as a CSV table.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace m3lak::cli {

/// A table that is filled cell by cell, row after row.
class CsvTable {
 public:
  explicit CsvTable(const std::vector<std::string>& heading);

  /// In quotes where CSV needs them.
  void add(std::string_view text);

  /// As short as it can be read back; NaN is an empty cell.
  void add(double value);

  /// To the file, whole or not at all; to standard output if there is none.
  void write(const std::optional<std::filesystem::path>& file) const;

 private:
  void end_cell();

  std::size_t columns_;
  std::size_t filled_ = 0;  // cells of the current row
  std::string text_;
};

}  // namespace m3lak::cli
