#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/picture.h"
#include "cli/print.h"
#include "cli/settings_options.h"
#include "cli/study_options.h"
#include "m3lak/error.h"
#include "study/markdown.h"

namespace m3lak::cli {

namespace {

struct SweepSettings {
  StudyOptions study{.methods = {"m3lak", "bm2smvl", "mmh"}};
  SettingsOptions options;
  std::vector<int> latent;
  std::vector<double> C;
  int folds = 10;
  std::string plot;
};

/// What is varied.
struct Sweep {
  std::string title;
  std::vector<double> values;
};

Sweep sweep_of(const SweepSettings& settings) {
  if (settings.latent.empty() == settings.C.empty()) {
    throw BadUsage("give the values of one setting: --latent 5,10,20,30 or --C 1,2,5,10");
  }
  const bool is_latent = !settings.latent.empty();
  Sweep sweep{is_latent ? "latent" : "C", settings.C};
  if (is_latent) sweep.values.assign(settings.latent.begin(), settings.latent.end());
  for (const double value : sweep.values) {
    if (!(value > 0)) throw BadUsage(fmt::format("--{} {}: must be above 0", sweep.title, value));
  }
  return sweep;
}

void check_latent_methods(const std::vector<std::string>& methods) {
  constexpr std::string_view latent[] = {"m3lak", "m3lak-paper", "bm2smvl", "bm2smvl-gibbs", "mmh"};
  for (const std::string& name : methods) {
    if (std::ranges::find(latent, name) == std::end(latent)) {
      throw BadUsage(fmt::format(
          "--methods {}: has no latent space; take some of m3lak, m3lak-paper, bm2smvl, "
          "bm2smvl-gibbs, mmh",
          name));
    }
  }
}

std::string contender_name(const std::string& method, const Sweep& sweep, double value) {
  return fmt::format("{} {}={:g}", method, sweep.title, value);
}

std::vector<Plot> plots_of(const std::vector<Cell>& cells, const std::vector<std::string>& sets,
                           const std::vector<std::string>& methods, const Sweep& sweep) {
  std::vector<Plot> plots;
  for (const std::string& set : sets) {
    Plot& plot = plots.emplace_back(
        Plot{set, sweep.title == "C" ? "C" : "m, the latent dimension", "accuracy (%)", {}});
    plot.least = 0;
    plot.most = 100;
    for (const std::string& method : methods) {
      Series& series = plot.series.emplace_back(Series{method, {}, {}});
      for (const double value : sweep.values) {
        const Summary found =
            summary(cells, set, contender_name(method, sweep, value), &Measures::accuracy);
        if (found.folds == 0) continue;
        series.x.push_back(value);
        series.y.push_back(100 * found.mean);
        series.error.push_back(100 * found.deviation / std::sqrt(found.folds));
      }
    }
  }
  return plots;
}

std::string tables_of(const std::vector<Plot>& plots, const Sweep& sweep) {
  std::string text;
  for (const Plot& plot : plots) {
    TableRows rows = {{sweep.title}};
    for (const Series& series : plot.series) rows.front().push_back(series.name);
    for (const double value : sweep.values) {
      rows.push_back({fmt::format("{:g}", value)});
      for (const Series& series : plot.series) {
        const auto at = std::ranges::find(series.x, value) - series.x.begin();
        const auto i = static_cast<std::size_t>(at);
        rows.back().push_back(i == series.x.size()
                                  ? "-"
                                  : fmt::format("{:.1f} ± {:.1f}", series.y[i], series.error[i]));
      }
    }
    text += fmt::format("{}## {}: accuracy (%) ± standard error\n\n{}", text.empty() ? "" : "\n",
                        plot.title, markdown_table(rows));
  }
  return text;
}

void run_sweep(const SweepSettings& settings) {
  const StudyOptions& study = settings.study;
  const Sweep sweep = sweep_of(settings);
  study.check();
  check_latent_methods(study.methods);
  if (!settings.plot.empty()) check_picture("--plot", settings.plot);
  const Options own = settings.options.options();
  CompareOptions options;
  for (const std::string& name : study.methods) {
    for (const double value : sweep.values) {
      MethodSettings with{.options = own};
      if (sweep.title == "C") {
        with.C = value;
      } else {
        with.latent = static_cast<int>(value);
      }
      options.methods.push_back({contender_name(name, sweep, value), name, with});
    }
  }
  options.folds = settings.folds;
  options.seeds = {own.seed};
  options.threads = own.threads;
  options.results = study.results;
  options.only_finished = study.finished;
  const std::vector<NamedData> sets = study.read(own.threads);
  if (sets.empty()) throw BadUsage("there is no data: name files, or views with --view");
  const std::vector<std::string> names = names_of(sets);

  const Interrupt interrupt;
  ProgressBar bar(study.quiet);
  const std::vector<Cell> cells = compare(sets, options, study.callbacks(bar, interrupt));
  const std::vector<Plot> plots = plots_of(cells, names, study.methods, sweep);
  std::vector<std::string> contenders;
  for (const Contender& contender : options.methods) contenders.push_back(contender.name);
  if (study.json) {
    print_cells_json(cells, names, contenders);
  } else if (study.csv) {
    print_cells_csv(cells);
  } else {
    print(tables_of(plots, sweep));
  }
  if (!settings.plot.empty()) {
    write_picture(plots, settings.plot);
    if (!study.quiet) say("plot: {}", settings.plot);
  }
  study.end(interrupt, cells.size(),
            sets.size() * contenders.size() * static_cast<std::size_t>(options.folds));
}

}  // namespace

void add_sweep(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "sweep", "Accuracy of the methods with a latent space against its dimension, or against C");
  auto settings = std::make_shared<SweepSettings>();
  settings->study.add_to(command);
  settings->options.add_to(command);
  for (const char* varied : {"--latent", "--C"}) {
    command.remove_option(command.get_option(varied));
  }
  command.add_option("--latent", settings->latent, "Dimensions of the latent space to try")
      ->type_name("M,…")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--C", settings->C, "Weights of the classifier to try (mmh: its C2)")
      ->type_name("C,…")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--folds", settings->folds, "Each instance is tested in one of so many folds")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--plot", settings->plot, "Draw it")->type_name("FILE.svg|FILE.png");
  command.footer(
      "Example:\n"
      "  m3lak sweep cornell.mat@3 wisconsin.mat@3 --latent 5,10,20,30 --plot latent.svg");
  command.callback([settings] { run_sweep(*settings); });
}

}  // namespace m3lak::cli
