// What the commands that compare methods have in common: sets of data, a file of results, and ways
// to print cells.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "m3lak/io.h"
#include "m3lak/study.h"

namespace m3lak::cli {

struct StudyOptions {
  /// "FILE", or "FILE@A,B": its classes A and B against the rest.
  std::vector<std::string> sets = {};
  DataSource source = {};
  std::vector<std::string> positive = {};
  std::vector<std::string> methods = {};
  std::string results = {};
  bool finished = false;
  bool quiet = false;
  bool json = false;
  bool csv = false;

  /// The object must live as long as the command; `methods` are the default ones.
  void add_to(CLI::App& command);

  /// Those that were named; none if none was.
  std::vector<NamedData> read(int threads) const;

  /// Throws BadUsage if a method does not exist, or results to be shown do not.
  void check() const;

  CompareCallbacks callbacks(ProgressBar& bar, const Interrupt& interrupt) const;

  /// If it was stopped, says what was lost and ends the program.
  void end(const Interrupt& interrupt, std::size_t finished, std::size_t all) const;
};

std::vector<std::string> names_of(const std::vector<NamedData>& sets);

void print_cells_csv(const std::vector<Cell>& cells);

void print_cells_json(const std::vector<Cell>& cells);

/// And summaries by set and method, with the paired comparison to the first method.
void print_cells_json(const std::vector<Cell>& cells, const std::vector<std::string>& sets,
                      const std::vector<std::string>& methods);

}  // namespace m3lak::cli
