#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/csv_table.h"
#include "cli/data_options.h"
#include "cli/interrupt.h"
#include "cli/model_summary.h"
#include "cli/picture.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/settings_options.h"
#include "cli/sharing.h"
#include "data/file.h"
#include "m3lak/error.h"
#include "study/fit_together.h"
#include "study/held_back.h"

namespace m3lak::cli {

namespace {

struct TrainSettings {
  DataSource source;
  std::vector<std::string> positive;
  SettingsOptions options;
  std::filesystem::path output;
  std::optional<std::filesystem::path> trace;
  CheckpointPlan checkpoint;
  bool quiet = false;
  bool json = false;
};

/// Before any work is done.
void check_outputs(const TrainSettings& settings) {
  AtomicFiles().stage(settings.output);
  const auto must_differ = [&](const char* option, const std::filesystem::path& file) {
    if (file.lexically_normal() != settings.output.lexically_normal()) return;
    throw BadUsage(fmt::format("{} {}: is where the model is to go; give another name", option,
                               file.string()));
  };
  if (settings.trace) {
    must_differ("--trace", *settings.trace);
    check_picture_or_table("--trace", *settings.trace);
  }
  must_differ("--checkpoint", settings.checkpoint.file);
  if (settings.checkpoint.resume && settings.checkpoint.file.empty()) {
    throw BadUsage("--resume: also give --checkpoint FILE, from which to go on");
  }
}

void say_checkpoint(const TrainSettings& settings) {
  const std::filesystem::path& file = settings.checkpoint.file;
  std::error_code ignored;
  if (file.empty() || settings.checkpoint.resume || !std::filesystem::exists(file, ignored)) return;
  say("note: {} is there already and will be replaced; --resume would go on from it",
      file.string());
}

std::string bytes_text(double bytes) {
  constexpr double KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;
  if (bytes >= GiB) return fmt::format("{:.1f} GiB", bytes / GiB);
  if (bytes >= MiB) return fmt::format("{:.0f} MiB", bytes / MiB);
  return fmt::format("{:.0f} KiB", bytes / KiB);
}

/// The first to run out of room is told before the work is done.
void say_file_of_draws(double bytes) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  say("note: {} of that are more than --draws-memory allows and go to a file in {} (TMPDIR), "
      "which goes when the program ends",
      bytes_text(bytes), folder.string());
  const auto space = std::filesystem::space(folder, failed);
  if (failed || static_cast<double>(space.available) >= bytes) return;
  say("warning: there is room for {} only in {}; let TMPDIR name another folder, or raise --thin",
      bytes_text(static_cast<double>(space.available)), folder.string());
}

/// About: this process knows its own alone.
Index labels_of_all(const Dataset& data, const Part& part) {
  if (!data.labels || data.instances() == 0) return 0;
  const Index own = data.instances() - data.labels->unknown_count();
  return own * part.total / data.instances();
}

void say_plan(const Dataset& data, const Part& part, const Options& options) {
  const DrawsPlan plan = plan_draws(data, part.total, options);
  if (part.cluster) {
    say("{} processes share {} instances; of this one:", part.cluster->share().ranks,
        with_commas(part.total));
  }
  say("{}", shape_text(data));
  const bool averages = options.scaling == Scaling::automatic;
  say("{} chain{} of {} iterations: keeps {} draws{}, {}", options.chains,
      options.chains == 1 ? "" : "s", options.iterations, plan.draws,
      averages ? " of each fit, up to " + std::to_string(options.fits) : "",
      bytes_text(plan.bytes));
  if (const Index held_back = held_back_count(labels_of_all(data, part), options); held_back > 0) {
    say("about {} labels are kept from the fits, to see how sure these are (--calibrate no: none)",
        with_commas(held_back));
  }
  Options unlimited = options;
  unlimited.draws_memory = 1'000'000'000;
  if (plan.thin > plan_draws(data, part.total, unlimited).thin) {
    say("note: only every {}th draw is kept, for the sake of memory (--draws-memory)", plan.thin);
  }
  if (plan.in_file > 0) say_file_of_draws(plan.in_file);
}

void write_trace(const Model& model, const std::filesystem::path& file) {
  std::vector<std::string> heading = {"chain",       "iteration",         "kept",
                                      "log_joint",   "latent_acceptance", "frequency_acceptance",
                                      "latent_step", "frequency_step",    "components",
                                      "weight_norm", "kernel_scale",      "training_accuracy"};
  for (const auto& view : model.scaler().views()) heading.push_back("noise_" + view.name);
  CsvTable table(heading);
  for (const TraceRow& row : model.trace()) {
    for (const int value : {row.chain, row.iteration, row.kept ? 1 : 0}) table.add(value);
    for (const double value : {row.log_joint, row.latent_acceptance, row.frequency_acceptance,
                               row.latent_step, row.frequency_step}) {
      table.add(value);
    }
    table.add(row.components);
    table.add(row.weight_norm);
    table.add(row.kernel_scale);
    if (row.training_accuracy < 0) {
      table.add("");
    } else {
      table.add(row.training_accuracy);
    }
    for (const double noise : row.noise) table.add(noise);
  }
  table.write(file);
}

/// Training accuracy and log density against the iteration, one line a chain.
void draw_trace(const Model& model, const std::filesystem::path& file) {
  Plot accuracy{"Training accuracy", "iteration", "accuracy (%)", {}};
  Plot objective{"Objective", "iteration", "log joint density", {}};
  for (const TraceRow& row : model.trace()) {
    const auto chain = static_cast<std::size_t>(row.chain);
    for (Plot* plot : {&accuracy, &objective}) {
      while (plot->series.size() <= chain) {
        plot->series.push_back({fmt::format("chain {}", plot->series.size() + 1), {}, {}});
      }
      plot->series[chain].x.push_back(row.iteration);
    }
    accuracy.series[chain].y.push_back(100 * row.training_accuracy);
    objective.series[chain].y.push_back(row.log_joint);
  }
  write_picture({accuracy, objective}, file);
}

Model fit_visibly(Dataset data, const Part& part, const Options& options,
                  const TrainSettings& settings, const Interrupt& interrupt) {
  ProgressBar bar(settings.quiet);
  Callbacks callbacks;
  callbacks.progress = show_fit(bar);
  callbacks.stop = [&interrupt] { return interrupt.requested(); };
  callbacks.accuracy_in_trace = settings.trace.has_value();
  callbacks.warning = [](const std::string& text) { say("\nwarning: {}", text); };
  std::optional<CheckpointPlan> checkpoint;
  if (!settings.checkpoint.file.empty()) checkpoint = settings.checkpoint;
  return fit_together(std::move(data), part, options, callbacks, checkpoint);
}

void say_how_to_resume(const TrainSettings& settings) {
  if (settings.checkpoint.file.empty()) return;
  say("m3lak: to go on from {}, run the same command with --resume",
      settings.checkpoint.file.string());
}

Model fit_unless_stopped(Dataset data, const Part& part, const Options& options,
                         const TrainSettings& settings, const Interrupt& interrupt) {
  try {
    return fit_visibly(std::move(data), part, options, settings, interrupt);
  } catch (const Stopped& stopped) {
    if (!part.is_first_process()) throw Exit{interrupt.exit_status()};
    say("m3lak: {}: no model was written", stopped.what());
    say_how_to_resume(settings);
    throw Exit{interrupt.exit_status()};
  }
}

void print_summary(const Model& model, const TrainSettings& settings, double seconds) {
  if (settings.json) {
    Json summary = {{"model", settings.output.string()}, {"seconds", seconds}};
    summary.update(model_json(model));
    return print_json(summary);
  }
  const std::vector<Check> checks = model.checks();
  print(sampling_text(model) + "\n" + checks_text(checks, true));
  if (!settings.quiet) {
    say("wrote {} after {}; 'm3lak inspect {}' tells more", settings.output.string(),
        duration(seconds), settings.output.string());
  }
}

/// What a user who stopped it can do with the model.
void say_stopped(const Model& model, const TrainSettings& settings) {
  const bool any_kept = std::ranges::any_of(model.trace(), &TraceRow::kept);
  if (any_kept) {
    say("m3lak: stopped early: {} holds the {} draws made until then", settings.output.string(),
        model.draws().size());
  } else {
    say("m3lak: stopped in burn-in: {} holds the last state only; do not rely on it",
        settings.output.string());
  }
  say_how_to_resume(settings);
}

void train(TrainSettings settings, World* world) {
  Options options = settings.options.options();
  const bool is_first = !world || world->is_first();
  if (is_first) check_outputs(settings);
  settings.quiet |= !is_first;
  options.threads = threads_of(world, options.threads);
  DataSource source = settings.source;
  source.threads = options.threads;
  take_share(world, source);
  Part part;
  Dataset data = read_labelled(source, settings.positive, settings.quiet, &part);
  part.cluster = world;

  const Interrupt interrupt(world != nullptr);
  if (!settings.quiet) {
    say_plan(data, part, options);
    say_checkpoint(settings);
  }
  const auto begin = std::chrono::steady_clock::now();
  const Model model = fit_unless_stopped(std::move(data), part, options, settings, interrupt);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  if (!is_first) {
    if (model.stopped_early()) throw Exit{interrupt.exit_status()};
    return;
  }
  model.save(settings.output);
  if (settings.trace) {
    (is_picture(*settings.trace) ? draw_trace : write_trace)(model, *settings.trace);
  }
  print_summary(model, settings, passed.count());
  if (model.stopped_early()) {
    say_stopped(model, settings);
    throw Exit{interrupt.exit_status()};
  }
}

}  // namespace

void add_train(CLI::App& program, World* world) {
  CLI::App& command = *program.add_subcommand("train", "Learns to classify; writes a model");
  auto settings = std::make_shared<TrainSettings>();
  add_data_options(command, settings->source);
  add_positive_option(command, settings->positive);
  command.add_option("-o,--output", settings->output, "Where to write the model")
      ->required()
      ->type_name("FILE.m3lak");
  command
      .add_option(
          "--trace", settings->trace,
          "Also write a CSV table with one row an iteration and chain, or draw accuracy and "
          "objective against the iteration; this takes longer, as the training accuracy is "
          "then found in each")
      ->type_name("FILE.csv|FILE.svg|FILE.png");
  command
      .add_option("--checkpoint", settings->checkpoint.file,
                  "Keep what was done in this file while at work, so that it can be resumed")
      ->type_name("FILE");
  command
      .add_option("--checkpoint-every", settings->checkpoint.iterations,
                  "Write it after so many iterations of a chain too, not only by time")
      ->type_name("ITERATIONS")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--checkpoint-seconds", settings->checkpoint.seconds,
                  "Write it whenever so much time has passed (default: 60)")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  command
      .add_flag("--stream", settings->source.stream,
                "Leave the views in their files and read them once an iteration, for data that is "
                "larger than memory; the model is the same. Views must be .npy files of float32 or "
                "float64 in C order")
      ->group("Data");
  command.add_flag("--resume", settings->checkpoint.resume,
                   "Go on from the checkpoint, to exactly the same model; start afresh if there is "
                   "none yet");
  command.add_flag("--quiet", settings->quiet, "No notes and no progress");
  command.add_flag("--json", settings->json, "Print the summary as JSON");
  settings->options.add_to(command);
  command.footer(
      "Examples:\n"
      "  m3lak train all.mat -o model.m3lak --positive 7\n"
      "  m3lak train --view rna.csv --view protein.csv --labels patients.csv -o model.m3lak \\\n"
      "              --C auto --chains 4\n"
      "  m3lak train all.mat -o model.m3lak --checkpoint model.checkpoint --resume\n"
      "  mpirun -n 4 m3lak train --view a.npy --view b.npy --labels y.npy -o model.m3lak\n"
      "Ctrl-C stops after the current iteration and writes what was drawn by then, and the\n"
      "checkpoint if there is one. The third example can be run again and again until it is done;\n"
      "in the last, four processes share the instances out (docs/scaling.md).");
  command.callback([settings, world] { train(*settings, world); });
}

}  // namespace m3lak::cli
