#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/print.h"
#include "cli/reliability.h"
#include "cli/settings_options.h"
#include "cli/study_options.h"
#include "m3lak/error.h"

namespace m3lak::cli {

namespace {

struct CompareSettings {
  StudyOptions study{
      .methods = {"m3lak", "bm2smvl", "mvmed", "vmrml", "mmh", "bemkl", "svm"},
  };
  SettingsOptions options;
  int folds = 10;
  int repeat = 1;
  double limit = std::numeric_limits<double>::infinity();
  std::optional<std::filesystem::path> reliability;
};

/// Of each method, over all sets, seeds and folds.
std::vector<MethodReliability> reliability_of(const std::vector<Cell>& cells,
                                              const std::vector<std::string>& methods) {
  std::vector<MethodReliability> all;
  for (const std::string& method : methods) {
    MethodReliability& own = all.emplace_back(MethodReliability{method, {}});
    for (const Cell& cell : cells) {
      if (cell.method == method) own.reliability += cell.measures.reliability;
    }
  }
  return all;
}

void run_compare(const CompareSettings& settings) {
  const StudyOptions& study = settings.study;
  const Options own = settings.options.options();
  study.check();
  if (settings.reliability) check_reliability_option(*settings.reliability);
  if (settings.repeat < 1) throw BadUsage("--repeat: must be at least 1");
  CompareOptions options;
  for (const std::string& name : study.methods) {
    options.methods.push_back({name, name, {.options = own}});
  }
  options.folds = settings.folds;
  options.threads = own.threads;
  if (!(settings.limit > 0)) throw BadUsage("--limit: must be a number of seconds above 0");
  options.seconds = settings.limit;
  options.results = study.results;
  options.only_finished = study.finished;
  options.seeds.clear();
  for (int r = 0; r < settings.repeat; ++r) {
    options.seeds.push_back(own.seed + static_cast<std::uint64_t>(r));
  }
  const std::vector<NamedData> sets = study.read(own.threads);
  if (sets.empty()) throw BadUsage("there is no data: name files, or views with --view");
  const std::vector<std::string> names = names_of(sets);

  const Interrupt interrupt;
  ProgressBar bar(study.quiet);
  const std::vector<Cell> cells = compare(sets, options, study.callbacks(bar, interrupt));
  if (study.json) {
    print_cells_json(cells, names, study.methods);
  } else if (study.csv) {
    print_cells_csv(cells);
  } else {
    print(compare_markdown(cells, names, study.methods));
  }
  if (settings.reliability) {
    write_reliability(reliability_of(cells, study.methods), *settings.reliability);
    const auto without = std::ranges::count_if(
        cells, [](const Cell& cell) { return std::isnan(cell.measures.reliability.error()); });
    if (without > 0 && !study.quiet) {
      say("note: {} of {} cells are not in {}, as they failed or their file of results does not "
          "say how sure predictions were",
          without, cells.size(), settings.reliability->string());
    }
  }
  study.end(interrupt, cells.size(),
            sets.size() * study.methods.size() * options.seeds.size() *
                static_cast<std::size_t>(options.folds));
}

}  // namespace

void add_compare(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "compare", "All methods on the same folds of one or several sets of data, as tables");
  auto settings = std::make_shared<CompareSettings>();
  settings->study.add_to(command);
  command.add_option("--folds", settings->folds, "Each instance is tested in one of so many folds")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--repeat", settings->repeat,
                  "Split into folds so many times, with the seeds S, S + 1, …")
      ->type_name("R")
      ->capture_default_str();
  command
      .add_option("--limit", settings->limit,
                  "End a cell that takes longer, and do not try the method on other folds of the "
                  "set (default: none)")
      ->type_name("SECONDS");
  add_reliability_option(command, settings->reliability);
  settings->options.add_to(command);
  command.footer(
      "Example:\n"
      "  m3lak compare cornell.mat@3 texas.mat@3 --methods m3lak,bemkl,svm --results study.jsonl\n"
      "Settings are m3lak's; the other methods tune theirs inside of each fold. docs/study.md "
      "says\n"
      "what the methods are.");
  command.callback([settings] { run_compare(*settings); });
}

}  // namespace m3lak::cli
