// The options by which every command is told where its data is.
#pragma once

#include <CLI/CLI.hpp>

#include "m3lak/io.h"

namespace m3lak::cli {

/// Adds them to a command; `source` must live as long as the command.
void add_data_options(CLI::App& command, DataSource& source);

/// Reads the data and says what the reader decided by itself (unless `quiet`).
ReadResult read_and_tell(const DataSource& source, bool quiet);

}  // namespace m3lak::cli
