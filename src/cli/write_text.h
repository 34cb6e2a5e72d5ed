// A file of text.
#pragma once

#include <filesystem>
#include <string>

namespace m3lak::cli {

/// Whole or not at all.
void write_text(const std::string& text, const std::filesystem::path& path);

}  // namespace m3lak::cli
