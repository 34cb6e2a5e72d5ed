#include <memory>

#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/print.h"
#include "cli/summary.h"
#include "m3lak/error.h"

namespace m3lak::cli {

namespace {

struct Settings {
  DataSource source;
  bool json = false;
  bool quiet = false;
};

void inspect(const Settings& settings) {
  const ReadResult read = read_and_tell(settings.source, settings.quiet || settings.json);
  auto summary = summary_json(read.data);
  if (settings.json) {
    summary["notes"] = read.notes;
    print(summary.dump(2) + "\n");
  } else {
    print(summary_text(summary));
  }
  if (read.data.labels) read.data.labels->require_two_classes();
}

}  // namespace

void add_inspect(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("inspect", "What is in the data: views, gaps, classes");
  auto settings = std::make_shared<Settings>();
  add_data_options(command, settings->source);
  command.add_flag("--json", settings->json, "Print JSON");
  command.add_flag("--quiet", settings->quiet, "Do not print notes");
  command.footer(
      "Examples:\n"
      "  m3lak inspect all.mat\n"
      "  m3lak inspect --view rna.csv --view protein.csv.gz --labels patients.csv \\\n"
      "                --id-column patient --label-column outcome\n"
      "Exit status 3: the data cannot be used; the message says why.");
  command.callback([settings] { inspect(*settings); });
}

}  // namespace m3lak::cli
