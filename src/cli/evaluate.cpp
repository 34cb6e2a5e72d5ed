#include "m3lak/evaluate.h"

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/interrupt.h"
#include "cli/model_summary.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/reliability.h"
#include "cli/settings_options.h"
#include "cli/sharing.h"
#include "m3lak/error.h"
#include "study/evaluate_together.h"
#include "study/named_measures.h"

namespace m3lak::cli {

namespace {

struct EvaluateSettings {
  DataSource source;
  std::vector<std::string> positive;
  SettingsOptions options;
  std::string method = "m3lak";
  int folds = 10;
  std::optional<std::filesystem::path> reliability;
  bool quiet = false;
  bool json = false;
};

Json fold_json(const Measures& fold) {
  Json json;
  for (const NamedMeasure& measure : named_measures) json[measure.key] = fold.*measure.value;
  return json;
}

Json evaluation_json(const Evaluation& evaluation, const Dataset& data, const Method& method,
                     const Options& options) {
  Json json = {{"method", method.name}, {"folds", Json::array()}};
  for (const Measures& fold : evaluation.folds) json["folds"].push_back(fold_json(fold));
  for (const NamedMeasure& measure : named_measures) {
    json[measure.key] = {{"mean", evaluation.mean.*measure.value},
                         {"std", evaluation.deviation.*measure.value}};
  }
  json["reliability"] = reliability_json(evaluation.reliability);
  json["seconds"] = evaluation.seconds;
  json["stopped_early"] = evaluation.stopped;
  json["settings"] = settings_json(options);
  json["instances"] = data.instances();
  json["classes"] = data.labels->classes;
  json["notes"] = evaluation.notes;
  return json;
}

std::string evaluation_text(const Evaluation& evaluation, const std::string& method) {
  std::vector<std::vector<std::string>> rows = {{method, "mean", "± std"}};
  const auto number = [](double value) {
    return std::isnan(value) ? "-" : fmt::format("{:.4f}", value);
  };
  for (const NamedMeasure& measure : named_measures) {
    rows.push_back({measure.title, number(evaluation.mean.*measure.value),
                    number(evaluation.deviation.*measure.value)});
  }
  return table(rows);
}

Evaluation evaluate_visibly(World* world, const Dataset& data, const Method& method,
                            const Options& options, const EvaluateSettings& settings,
                            const Interrupt& interrupt) {
  ProgressBar bar(settings.quiet);
  EvaluateCallbacks callbacks;
  callbacks.progress = [&bar](int done, int total) { bar.show("folds", done, total, ""); };
  callbacks.stop = [&interrupt] { return interrupt.requested(); };
  callbacks.progress(0, settings.folds);
  return evaluate_together(world, data, method, settings.folds, options.seed, options.threads,
                           callbacks);
}

void run_evaluate(EvaluateSettings settings, World* world) {
  const bool is_first = !world || world->is_first();
  if (is_first && settings.reliability) check_reliability_option(*settings.reliability);
  settings.quiet |= !is_first;
  Options options = settings.options.options();
  options.threads = threads_of(world, options.threads);
  const Method method = method_of(settings.method, options);
  DataSource source = settings.source;
  source.threads = options.threads;
  const Dataset data = read_labelled(source, settings.positive, settings.quiet);

  const Interrupt interrupt(world != nullptr);
  if (!settings.quiet) say("{}: {} in {} folds", shape_text(data), method.name, settings.folds);
  const Evaluation evaluation = evaluate_visibly(world, data, method, options, settings, interrupt);
  if (!is_first) {
    if (evaluation.stopped) throw Exit{interrupt.exit_status()};
    return;
  }
  if (!settings.quiet) {
    for (const std::string& note : evaluation.notes) say("note: {}", note);
  }
  if (settings.json) {
    print_json(evaluation_json(evaluation, data, method, options));
  } else if (!evaluation.folds.empty()) {
    print(evaluation_text(evaluation, method.name));
  }
  if (settings.reliability) {
    write_reliability({{method.name, evaluation.reliability}}, *settings.reliability);
  }
  if (evaluation.stopped) {
    say("m3lak: stopped early: {} of {} folds were finished", evaluation.folds.size(),
        settings.folds);
    throw Exit{interrupt.exit_status()};
  }
  if (!settings.quiet) say("{} folds in {}", settings.folds, duration(evaluation.seconds));
}

}  // namespace

void add_evaluate(CLI::App& program, World* world) {
  CLI::App& command = *program.add_subcommand(
      "evaluate", "How well a method classifies, by stratified cross-validation");
  auto settings = std::make_shared<EvaluateSettings>();
  add_data_options(command, settings->source);
  add_positive_option(command, settings->positive);
  command
      .add_option(
          "--method", settings->method,
          "Whom to evaluate; svm is a support vector machine on all views side by side, its "
          "kernel, scaling and parameters tuned inside of each fold; nearest-mean takes the "
          "class whose mean is nearest, the least that others have to beat; docs/study.md says "
          "what the others are")
      ->type_name(fmt::format("{}", fmt::join(method_names(), "|")))
      ->capture_default_str();
  command.add_option("--folds", settings->folds, "Each instance is tested in one of so many folds")
      ->type_name("N")
      ->capture_default_str();
  add_reliability_option(command, settings->reliability);
  command.add_flag("--quiet", settings->quiet, "No notes and no progress");
  command.add_flag("--json", settings->json, "Print JSON, with the measures of each fold");
  settings->options.add_to(command);
  command.footer(
      "Example:\n"
      "  m3lak evaluate all.mat --positive 7 --method m3lak --folds 10 --seed 1 --json\n"
      "The seed is that of the folds as well as of the chains: with the same seed, all methods see "
      "the\nsame folds.");
  command.callback([settings, world] { run_evaluate(*settings, world); });
}

}  // namespace m3lak::cli
