#include <filesystem>

#include "cli/command.h"
#include "cli/print.h"
#include "cli/summary.h"
#include "m3lak/error.h"
#include "m3lak/io.h"
#include "m3lak/simulate.h"

namespace m3lak::cli {

namespace fs = std::filesystem;

namespace {

/// The data that ships with the program: beside it when installed, in the source tree when not.
fs::path shipped(const std::string& name) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder :
       {program.parent_path() / M3LAK_INSTALLED_DATA, fs::path(M3LAK_SOURCE_DATA)}) {
    if (fs::is_directory(folder / name, ignored)) return (folder / name).lexically_normal();
  }
  throw Error("the data that ships with m3lak was not found beside the program: install it again");
}

void demo() {
  const fs::path folder = shipped("breast_cancer");
  print(
      "1. Real data: a breast mass, seen in three ways (mean, error and worst values of ten\n"
      "   properties of its cell nuclei), and the diagnosis.\n\n");
  DataSource source;
  for (const char* view : {"mean.csv", "error.csv", "worst.csv"}) {
    source.views.push_back((folder / view).string());
  }
  source.labels = folder / "diagnosis.csv";
  print(summary_text(summary_json(read_dataset(source).data)));

  print(
      "\n2. Simulated data: two classes, inside and outside of a ring in the latent space that "
      "both\n"
      "   views share; a tenth of the views is missing.\n\n");
  SimulationOptions options;
  options.boundary = Boundary::ring;
  options.missing_views = 0.1;
  print(summary_text(summary_json(simulate(options))));

  print(
      fmt::format("\nLook for yourself:\n"
                  "  m3lak inspect --view {0}/mean.csv --view {0}/worst.csv \\\n"
                  "                --labels {0}/diagnosis.csv\n",
                  folder.string()));
}

}  // namespace

void add_demo(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("demo", "The whole story on data that ships with the program");
  command.callback(demo);
}

}  // namespace m3lak::cli
