// Where and how data is written.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "m3lak/io.h"

namespace m3lak::cli {

struct Output {
  std::filesystem::path file;
  std::optional<FileFormat> format;  // else by the ending of the file's name

  /// Throws BadUsage if it cannot be written there, before any work is done.
  void check() const;

  /// Writes the data and says which files (unless `quiet`).
  void write(const Dataset& data, bool quiet) const;
};

void add_output_options(CLI::App& command, Output& output);

}  // namespace m3lak::cli
