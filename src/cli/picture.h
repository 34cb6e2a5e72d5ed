// Plots as files: SVG, or PNG by rsvg-convert.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "study/plot.h"

namespace m3lak::cli {

/// By its name: an .svg or a .png.
bool is_picture(const std::filesystem::path& file);

/// Throws BadUsage unless the file is a picture that can be drawn here, or may be written to.
void check_picture(std::string_view option, const std::filesystem::path& file);

/// The same, but that it may also be a .csv.
void check_picture_or_table(std::string_view option, const std::filesystem::path& file);

/// Plots beside each other; whole or not at all.
void write_picture(const std::vector<Plot>& plots, const std::filesystem::path& file);

}  // namespace m3lak::cli
