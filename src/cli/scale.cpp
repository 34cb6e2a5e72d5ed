#include <memory>

#include "cli/command.h"
#include "cli/print.h"
#include "cli/settings_options.h"
#include "cli/study_options.h"
#include "m3lak/error.h"
#include "m3lak/simulate.h"

namespace m3lak::cli {

namespace {

struct ScaleSettings {
  StudyOptions study{
      .methods = {"m3lak", "bm2smvl", "mvmed", "vmrml-full", "vmrml", "mmh", "bemkl", "svm"},
  };
  SettingsOptions options;
  std::vector<Index> train = {1000, 2000, 3000, 5000, 10000};
  double limit = 3600;
};

/// Of the shape of the paper's NUS-WIDE.
NamedData simulated_nus_wide(std::uint64_t seed) {
  SimulationOptions options;
  options.instances = 21935;
  options.views = {64, 144, 73, 128, 225};
  options.boundary = Boundary::ring;
  options.seed = seed;
  return {"simulated NUS-WIDE", simulate(options)};
}

void run_scale(const ScaleSettings& settings) {
  const StudyOptions& study = settings.study;
  const Options own = settings.options.options();
  study.check();
  if (!(settings.limit > 0)) throw BadUsage("--limit: must be a number of seconds above 0");
  std::vector<NamedData> sets = study.read(own.threads);
  if (sets.empty()) {
    if (!study.quiet) say("no data was named: simulating 21,935 instances of NUS-WIDE's shape");
    sets.push_back(simulated_nus_wide(own.seed));
  }
  ScaleOptions options;
  for (const std::string& name : study.methods) {
    options.methods.push_back({name, name, {.options = own, .tune = false}});
  }
  options.train = settings.train;
  options.seed = own.seed;
  options.threads = own.threads;
  options.seconds = settings.limit;
  options.results = study.results;
  options.only_finished = study.finished;
  const std::vector<std::string> names = names_of(sets);

  const Interrupt interrupt;
  ProgressBar bar(study.quiet);
  const std::vector<Cell> cells = scale(sets, options, study.callbacks(bar, interrupt));
  if (study.json) {
    print_cells_json(cells);
  } else if (study.csv) {
    print_cells_csv(cells);
  } else {
    print(scale_markdown(cells, names, study.methods));
  }
  study.end(interrupt, cells.size(), sets.size() * study.methods.size() * options.train.size());
}

}  // namespace

void add_scale(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "scale", "Accuracy, time and memory of all methods against the number of instances");
  auto settings = std::make_shared<ScaleSettings>();
  settings->study.add_to(command);
  command.add_option("--train", settings->train, "Train on so many instances, test on the rest")
      ->type_name("N,…")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->capture_default_str();
  command.add_option("--limit", settings->limit, "End a cell that takes longer")
      ->type_name("SECONDS")
      ->capture_default_str();
  settings->options.add_to(command);
  command.footer(
      "Example:\n"
      "  m3lak scale --train 1000,2000,5000 --methods m3lak,bm2smvl,bemkl --limit 600\n"
      "Without data it simulates some of NUS-WIDE's shape. Nothing is tuned, but svm, so that "
      "times\n"
      "are those of one training; each cell runs in a process of its own.");
  command.callback([settings] { run_scale(*settings); });
}

}  // namespace m3lak::cli
