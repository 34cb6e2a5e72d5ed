// The first lines of a CSV file, from which its form is found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace m3lak {

/// The first records that are not blank: a few dozen, fewer if they are long, but at least two.
std::vector<std::string_view> first_records(std::string_view text);

/// What separates the cells of these records: tab, semicolon or comma, of which semicolons come
/// first because numbers may have decimal commas; blanks (' ') if there are none of these and they
/// separate numbers. A comma if there is only one column.
char find_delimiter(const std::vector<std::string_view>& records);

/// The cells of one record.
std::vector<std::string> cells_of(std::string_view record, char delimiter);

}  // namespace m3lak
