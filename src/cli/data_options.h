// The options by which every command is told where its data is.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "data/part.h"
#include "m3lak/io.h"

namespace m3lak::cli {

/// Adds them to a command; `source` must live as long as the command.
void add_data_options(CLI::App& command, DataSource& source);

/// --threads, for commands that do not have it among their settings.
void add_threads_option(CLI::App& command, int& threads);

/// --positive: which classes stand against all others.
void add_positive_option(CLI::App& command, std::vector<std::string>& positive);

/// Reads the data and says what the reader decided by itself (unless `quiet`).
ReadResult read_and_tell(const DataSource& source, bool quiet);

/// The same for commands that cannot do without labels; `positive` (unless empty) stands against
/// the rest. `part`, if it is wanted: which of all processes' instances these are.
Dataset read_labelled(const DataSource& source, const std::vector<std::string>& positive,
                      bool quiet, Part* part = nullptr);

/// "569 instances (12 without a label), 3 views, 30 features, 2 classes"
std::string shape_text(const Dataset& labelled);

}  // namespace m3lak::cli
