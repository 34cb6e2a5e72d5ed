// Tables in Markdown.
#pragma once

#include <string>
#include <vector>

#include "m3lak/export.h"

namespace m3lak {

/// Of equal length, the first of them the heading.
using TableRows = std::vector<std::vector<std::string>>;

/// Reads well as plain text too: columns are padded, all but the first flush right.
M3LAK_API std::string markdown_table(const TableRows& rows);

}  // namespace m3lak
