#include <fstream>
#include <memory>
#include <string_view>

#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/model_summary.h"
#include "cli/print.h"
#include "cli/summary.h"

namespace m3lak::cli {

namespace {

struct InspectSettings {
  DataSource source;
  bool json = false;
  bool quiet = false;
};

/// By how the file starts, whatever it is called.
bool is_model(const std::filesystem::path& file) {
  constexpr std::string_view start = "m3lak model";
  std::string text(start.size(), '\0');
  std::ifstream(file, std::ios::binary)
      .read(text.data(), static_cast<std::streamsize>(text.size()));
  return text == start;
}

void inspect_model(const std::filesystem::path& file, bool json) {
  const Model model = Model::load(file);
  const std::vector<Check> checks = model.checks();
  if (json) {
    print_json(model_json(model));
  } else {
    print(contents_text(model) + "\n" + sampling_text(model) + "\n" + checks_text(checks, false));
  }
  if (!is_trusted(checks)) throw Exit{1};
}

void inspect_data(const InspectSettings& settings) {
  const ReadResult read = read_and_tell(settings.source, settings.quiet || settings.json);
  auto summary = summary_json(read.data);
  if (settings.json) {
    summary["notes"] = read.notes;
    print_json(summary);
  } else {
    print(summary_text(summary));
  }
  if (read.data.labels) read.data.labels->require_two_classes();
}

void inspect(const InspectSettings& settings) {
  const DataSource& source = settings.source;
  if (source.files.size() == 1 && source.views.empty() && is_model(source.files.front())) {
    inspect_model(source.files.front(), settings.json);
  } else {
    inspect_data(settings);
  }
}

}  // namespace

void add_inspect(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "inspect",
      "What is in the data: views, gaps, classes; or in a model, and whether to trust it");
  auto settings = std::make_shared<InspectSettings>();
  add_data_options(command, settings->source);
  add_threads_option(command, settings->source.threads);
  command.add_flag("--json", settings->json, "Print JSON");
  command.add_flag("--quiet", settings->quiet, "Do not print notes");
  command.footer(
      "Examples:\n"
      "  m3lak inspect all.mat\n"
      "  m3lak inspect --view rna.csv --view protein.csv.gz --labels patients.csv \\\n"
      "                --id-column patient --label-column outcome\n"
      "  m3lak inspect model.m3lak\n"
      "Exit status 3: the data cannot be used; the message says why. Exit status 1: the model is "
      "not to\nbe trusted, as one of the checks failed.");
  command.callback([settings] { inspect(*settings); });
}

}  // namespace m3lak::cli
