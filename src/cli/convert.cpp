#include <memory>

#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/output_format.h"
#include "cli/print.h"

namespace m3lak::cli {

namespace {

struct ConvertSettings {
  DataSource source;
  Output output;
  bool quiet = false;
};

void convert(const ConvertSettings& settings) {
  settings.output.check();
  const ReadResult read = read_and_tell(settings.source, settings.quiet);
  settings.output.write(read.data, settings.quiet);
}

}  // namespace

void add_convert(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "convert", "Reads data, joins its views, and writes it in another format");
  auto settings = std::make_shared<ConvertSettings>();
  add_data_options(command, settings->source);
  add_threads_option(command, settings->source.threads);
  add_output_options(command, settings->output);
  command.add_flag("--quiet", settings->quiet, "Do not print notes");
  command.footer(
      "Example:\n"
      "  m3lak convert --view rna.csv --view protein.csv --labels patients.csv -o all.npz");
  command.callback([settings] { convert(*settings); });
}

}  // namespace m3lak::cli
