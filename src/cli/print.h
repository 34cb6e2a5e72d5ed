// Printing: sentences to standard error, tables to standard output.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

namespace m3lak::cli {

/// A sentence for the user, on standard error.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  const std::string text = fmt::format(format, std::forward<Args>(args)...) + "\n";
  std::fputs(text.c_str(), stderr);
}

/// Text on standard output. Throws Error if it cannot be written (a full disk, say).
void print(const std::string& text);

/// 1234567 is "1,234,567".
std::string with_commas(long long number);

/// Rows of equal length, the first of them the heading; columns of numbers are set flush right.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace m3lak::cli
