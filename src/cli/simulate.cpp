#include "m3lak/simulate.h"

#include <memory>

#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/output_format.h"
#include "m3lak/error.h"

namespace m3lak::cli {

namespace {

struct SimulateSettings {
  SimulationOptions options;
  Output output;
  bool quiet = false;
};

void run_simulate(const SimulateSettings& settings) {
  settings.options.check();
  settings.output.check();
  settings.output.write(simulate(settings.options), settings.quiet);
}

}  // namespace

void add_simulate(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "simulate", "Makes data from the generative model, with a boundary of a known shape");
  auto settings = std::make_shared<SimulateSettings>();
  SimulationOptions& options = settings->options;
  add_output_options(command, settings->output);
  command.add_option("--instances", options.instances, "Number of instances")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--views", options.views, "Features of each view (default: 20,30)")
      ->type_name("D1,D2,…")
      ->delimiter(',')
      ->expected(1, CLI::detail::expected_max_vector_size);
  command.add_option("--latent", options.latent, "Dimension of the shared latent space")
      ->type_name("m")
      ->capture_default_str();
  command.add_option("--private", options.private_latent, "Dimension of each view's own variation")
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--noise", options.noise, "Standard deviation of the noise; the signal has 1")
      ->type_name("SD")
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--boundary",
          [&options](const std::string& name) {
            try {
              options.boundary = boundary_of(name);
            } catch (const BadUsage& error) {
              throw BadUsage(std::string("--") + error.what());
            }
          },
          "Shape of the boundary between the classes (default: linear)")
      ->type_name("linear|ring|xor");
  command
      .add_option("--missing-views", options.missing_views,
                  "Share of the views that are missing; each instance keeps one at least")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      .add_option("--missing-cells", options.missing_cells, "Share of the cells that are missing")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      .add_option("--unknown-labels", options.unknown_labels,
                  "Share of the labels that are unknown")
      ->type_name("SHARE")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "The same seed gives the same data")
      ->type_name("S")
      ->capture_default_str();
  add_threads_option(command, options.threads);
  command.add_flag("--quiet", settings->quiet, "Do not say what was written");
  command.footer(
      "Example:\n"
      "  m3lak simulate -o ring.npz --instances 1000 --views 20,30,40 --boundary ring \\\n"
      "                 --missing-views 0.1 --seed 7");
  command.callback([settings] { run_simulate(*settings); });
}

}  // namespace m3lak::cli
