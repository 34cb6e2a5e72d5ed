#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/csv_table.h"
#include "cli/data_options.h"
#include "cli/json.h"
#include "cli/print.h"
#include "cli/sharing.h"
#include "data/file.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"
#include "m3lak/model.h"

namespace m3lak::cli {

namespace {

using Names = std::vector<std::string>;

struct PredictSettings {
  std::filesystem::path model;
  DataSource source;
  Names positive;
  std::optional<std::filesystem::path> output;
  bool latent = false;
  bool quiet = false;
  bool json = false;
};

/// "score", or "score_<class>" of each class if there are several.
void add_names(Names& heading, const std::string& name, Index columns, const Names& classes) {
  if (columns == 1) return heading.push_back(name);
  for (const std::string& label : classes) heading.push_back(name + "_" + label);
}

Names heading_of(const Prediction& prediction, const Names& classes, bool latent) {
  Names heading = {"id", "class"};
  add_names(heading, "score", prediction.score.cols(), classes);
  add_names(heading, "spread", prediction.spread.cols(), classes);
  add_names(heading, "probability", prediction.probability.cols(), classes);
  for (Index k = 1; latent && k <= prediction.latent.cols(); ++k) {
    heading.push_back(fmt::format("h{}", k));
  }
  return heading;
}

CsvTable table_of(const Prediction& prediction, const Names& classes, const Names& instances,
                  bool latent) {
  CsvTable table(heading_of(prediction, classes, latent));
  const auto add_row = [&table](const auto& row) {
    for (const double value : row) table.add(value);
  };
  for (std::size_t n = 0; n < prediction.label.size(); ++n) {
    const auto row = static_cast<Index>(n);
    table.add(instances.empty() ? std::to_string(n + 1) : instances[n]);
    table.add(classes[static_cast<std::size_t>(prediction.label[n])]);
    add_row(prediction.score.row(row));
    add_row(prediction.spread.row(row));
    add_row(prediction.probability.row(row));
    if (latent) add_row(prediction.latent.row(row));
  }
  return table;
}

/// The labels of the data as indices into the model's classes; none if a class is not among them.
std::optional<std::vector<int>> truth_of(const Labels& labels, const Names& classes, bool quiet) {
  std::vector<int> index;
  for (const std::string& name : labels.classes) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      if (!quiet) say("note: the model does not know the class '{}': no accuracy is given", name);
      return std::nullopt;
    }
    index.push_back(static_cast<int>(found - classes.begin()));
  }
  std::vector<int> truth;
  for (const int label : labels.of) {
    truth.push_back(label == Labels::unknown ? label : index[static_cast<std::size_t>(label)]);
  }
  return truth;
}

/// How right the predictions are, if the data has labels to tell.
std::optional<Measures> measures_of(const Dataset& data, const Prediction& prediction,
                                    const Names& classes, bool quiet) {
  if (!data.labels || data.labels->classes.empty()) return std::nullopt;
  const auto truth = truth_of(*data.labels, classes, quiet);
  if (!truth) return std::nullopt;
  return measure(*truth, prediction.label, prediction.score, prediction.probability);
}

void print_summary(const PredictSettings& settings, const Prediction& prediction,
                   const Names& classes, const std::optional<Measures>& measures) {
  Json counts = Json::object();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    counts[classes[c]] =
        std::count(prediction.label.begin(), prediction.label.end(), static_cast<int>(c));
  }
  Json summary = {{"output", settings.output->string()},
                  {"instances", prediction.label.size()},
                  {"classes", counts}};
  if (measures) {
    summary["accuracy"] = measures->accuracy;
    summary["balanced_accuracy"] = measures->balanced_accuracy;
    summary["auc"] = measures->auc;
    summary["log_loss"] = measures->log_loss;
    summary["calibration_error"] = measures->calibration_error;
  }
  print_json(summary);
}

void check_output(const PredictSettings& settings) {
  if (settings.output) {
    AtomicFiles().stage(*settings.output);
  } else if (settings.json) {
    throw BadUsage("--json: name a file for the predictions by -o, as the summary is printed");
  }
}

/// Rows of all processes, one below the other.
Matrix stacked(Cluster& cluster, const Matrix& own) {
  const std::vector<Matrix> parts = values_of(cluster, own);
  Index rows = 0;
  for (const Matrix& part : parts) rows += part.rows();
  Matrix all(rows, own.cols());
  rows = 0;
  for (const Matrix& part : parts) {
    all.middleRows(rows, part.rows()) = part;
    rows += part.rows();
  }
  return all;
}

template <class Value>
std::vector<Value> joined(Cluster& cluster, const std::vector<Value>& own) {
  std::vector<Value> all;
  for (const std::vector<Value>& part : values_of(cluster, own)) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// What all processes have predicted, and what it is compared with.
void put_together(Cluster& cluster, Prediction& prediction, Dataset& data) {
  for (const auto field :
       {&Prediction::score, &Prediction::spread, &Prediction::probability, &Prediction::latent}) {
    prediction.*field = stacked(cluster, prediction.*field);
  }
  prediction.label = joined(cluster, prediction.label);
  data.instance_names = joined(cluster, data.instance_names);
  if (data.labels) data.labels = all_labels(cluster, *data.labels);
}

void predict(PredictSettings settings, World* world) {
  const bool is_first = !world || world->is_first();
  if (is_first) check_output(settings);
  settings.quiet |= !is_first;
  settings.source.threads = threads_of(world, settings.source.threads);
  take_share(world, settings.source);
  const Model model = Model::load(settings.model);
  Dataset data = read_and_tell(settings.source, settings.quiet).data;
  if (data.labels && !settings.positive.empty()) {
    data.labels = one_against_rest(*data.labels, settings.positive);
  }
  Prediction prediction = model.predict(data, settings.source.threads);
  if (world) put_together(*world, prediction, data);
  if (!is_first) return;
  table_of(prediction, model.classes(), data.instance_names, settings.latent)
      .write(settings.output);

  const auto measures = measures_of(data, prediction, model.classes(), settings.quiet);
  if (settings.json) print_summary(settings, prediction, model.classes(), measures);
  if (settings.quiet) return;
  if (settings.output) say("wrote {}", settings.output->string());
  if (measures) {
    const auto known = static_cast<Index>(data.labels->of.size()) - data.labels->unknown_count();
    say("accuracy {:.4f} over {} labelled instances", measures->accuracy, with_commas(known));
  }
}

}  // namespace

void add_predict(CLI::App& program, World* world) {
  CLI::App& command = *program.add_subcommand(
      "predict", "Classifies by a model: class, score, spread and probability of each instance");
  auto settings = std::make_shared<PredictSettings>();
  command.add_option("MODEL", settings->model, "What 'm3lak train' wrote")
      ->required()
      ->type_name("FILE.m3lak");
  add_data_options(command, settings->source);
  add_positive_option(command, settings->positive);
  command
      .add_option("-o,--output", settings->output,
                  "Where to write the predictions (default: standard output)")
      ->type_name("FILE.csv");
  command.add_flag("--latent", settings->latent, "Also where each instance is in latent space");
  add_threads_option(command, settings->source.threads);
  command.add_flag("--quiet", settings->quiet, "No notes and no accuracy");
  command.add_flag("--json", settings->json, "Print a summary as JSON; needs -o");
  command.footer(
      "Example:\n"
      "  m3lak predict model.m3lak --view rna.csv --view protein.csv -o predictions.csv\n"
      "A view that an instance lacks, and cells that it lacks, are averaged over. If the data has\n"
      "labels, the accuracy is told on standard error.");
  command.callback([settings, world] { predict(*settings, world); });
}

}  // namespace m3lak::cli
