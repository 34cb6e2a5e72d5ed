// What became of predictions by their confidence, as JSON, table and picture.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/json.h"
#include "m3lak/evaluate.h"

namespace m3lak::cli {

struct MethodReliability {
  std::string method;
  Reliability reliability;
};

void add_reliability_option(CLI::App& command, std::optional<std::filesystem::path>& file);

/// Throws BadUsage if there can be no such file.
void check_reliability_option(const std::filesystem::path& file);

/// One object a bin that has instances.
Json reliability_json(const Reliability& reliability);

/// A picture if the file is an .svg or a .png, else a CSV table; whole or not at all.
void write_reliability(const std::vector<MethodReliability>& methods,
                       const std::filesystem::path& file);

}  // namespace m3lak::cli
