// How a CSV file is to be read: decided from its first lines and what the user says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/csv/csv_cursor.h"
#include "data/formats/text/text.h"
#include "m3lak/io.h"

namespace m3lak {

enum class CsvContent { view, labels };

/// What a column is for. A column that is `always_empty` only exists because each line ends with a
/// delimiter.
enum class ColumnRole : std::uint8_t { feature, id, label, unused, always_empty };

struct CsvPlan {
  CsvDialect dialect;
  bool has_header = false;
  std::string_view body;              // the lines of data
  std::vector<ColumnRole> roles;      // one a column
  std::vector<std::string> names;     // one a column; all empty if there is no header
  std::vector<std::uint8_t> is_text;  // one a column: no number in the first lines, but text
  std::vector<std::string> notes;

  std::size_t columns() const { return roles.size(); }
  std::optional<std::size_t> column_of(ColumnRole role) const;

  /// "column 3 ('age')"
  std::string describe(std::size_t column) const;
};

/// The first line is a header, if the user does not say, when
///   - it has one cell less than the others (R does not name the column of row names), or
///   - one of its cells is the column of ids or labels that the user names, or
///   - none of its cells is a number, and below one of its texts there are numbers, or there is
///     no other line, or
///   - a cell is a usual name of a column (id, sample, label, class, …; the first cell must be if
///     there are numbers) that does not occur again below it, or
///   - its numbers count the columns from 0 or 1, as pandas does.
/// The first column names the instances, if the user does not say, when its header is empty or a
/// usual name of such a column, or when it holds text; unless it is the column of labels or the
/// only one.
///
/// Throws BadData or TextFault.
CsvPlan plan_csv(const TextFile& file, const DataSource& source, CsvContent content);

}  // namespace m3lak
