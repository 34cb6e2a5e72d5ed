// Whether the first line of a CSV file names its columns.
#pragma once

#include <string>
#include <vector>

#include "m3lak/io.h"

namespace m3lak {

using CsvRow = std::vector<std::string>;

/// Usual names of columns: "id", "Sample ID", "Unnamed: 0", …; "label", "class", ….
bool is_name_of_ids(const std::string& name);
bool is_name_of_labels(const std::string& name);

struct HeaderVerdict {
  bool is_header;
  std::string doubt;  // what the user should know; empty: nothing
};

/// By the rules that csv_plan.h lists. `rows` are the first of the file.
HeaderVerdict judge_header(const std::vector<CsvRow>& rows, const DataSource& source);

/// Whether the rows have one cell more than the header.
bool is_header_short(const std::vector<CsvRow>& rows);

}  // namespace m3lak
