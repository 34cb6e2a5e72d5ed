#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"
#include "m3lak/folds.h"
#include "m3lak/io.h"
#include "m3lak/model.h"
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

Dataset breast_cancer(const fs::path& folder) {
  DataSource source;
  for (const char* view : {"mean.csv", "error.csv", "worst.csv"}) {
    source.views.push_back((folder / view).string());
  }
  source.labels = folder / "diagnosis.csv";
  return read_dataset(source).data;
}

/// Four fifths to learn from, one fifth to be tested on.
struct Split {
  Dataset training, test;
};

Split split(const Dataset& data) {
  const Folds folds = stratified_folds(*data.labels, 5, 1);
  return {data.select(folds.train(0)), data.select(folds.test(0))};
}

Model train(const Dataset& training, const Options& options) {
  ProgressBar bar(false);
  Callbacks callbacks;
  callbacks.progress = show_fit(bar);
  return fit(training, options, callbacks);
}

std::string accuracy_text(const Dataset& test, const Prediction& prediction) {
  const double accuracy =
      measure(test.labels->of, prediction.label, prediction.score, prediction.probability).accuracy;
  return fmt::format("{:.1f} %", 100 * accuracy);
}

std::string accuracies_text(const Split& data, const Prediction& prediction) {
  const auto nearest_mean = method_of("nearest-mean").make();
  nearest_mean->fit(data.training, 0, {});
  const Prediction baseline = nearest_mean->predict(data.test, 0);
  return table({{"trained on " + with_commas(data.training.instances()),
                 "right of " + with_commas(data.test.instances())},
                {"m3lak", accuracy_text(data.test, prediction)},
                {"nearest mean", accuracy_text(data.test, baseline)}});
}

std::vector<std::string> prediction_row(const Dataset& data, const Prediction& prediction,
                                        Index instance, const std::string& views) {
  const auto n = static_cast<std::size_t>(instance);
  const auto label_name = [&](int label) {
    return data.labels->classes[static_cast<std::size_t>(label)];
  };
  return {data.instance_names[n],
          views,
          label_name(data.labels->of[n]),
          label_name(prediction.label[n]),
          fmt::format("{:.3f}", prediction.probability(instance, 1)),
          fmt::format("{:.2f}", prediction.spread(instance, 0))};
}

/// The instances with the least doubt and the one with the most; then one of them without its last
/// view.
std::string predictions_text(const Model& model, const Dataset& test,
                             const Prediction& prediction) {
  const Vector malignant = prediction.probability.col(1);
  Index surest_benign = 0, surest_malignant = 0, doubtful = 0;
  malignant.minCoeff(&surest_benign);
  malignant.maxCoeff(&surest_malignant);
  (malignant.array() - 0.5).abs().minCoeff(&doubtful);
  std::vector<std::vector<std::string>> rows = {
      {"case", "views", "truth", "m3lak says", "P(malignant)", "spread of the score"}};
  for (const Index n : {surest_benign, doubtful, surest_malignant}) {
    rows.push_back(prediction_row(test, prediction, n, "all"));
  }
  Dataset reduced = test;
  reduced.views.pop_back();
  rows.push_back(prediction_row(reduced, model.predict(reduced), surest_malignant, "mean, error"));
  return table(rows);
}

void show_breast_cancer(const Options& options) {
  const fs::path folder = shipped("breast_cancer");
  print(
      "1. Real data: a breast mass, seen in three ways (mean, error and worst values of ten\n"
      "   properties of its cell nuclei), and the diagnosis.\n\n");
  const Dataset data = breast_cancer(folder);
  print(summary_text(summary_json(data)));
  print(
      "\n   m3lak learns from four fifths of it. Beside it the least that a method has to beat:\n"
      "   the class whose mean is nearest.\n\n");
  const Split parts = split(data);
  const Model model = train(parts.training, options);
  const Prediction prediction = model.predict(parts.test);
  print(accuracies_text(parts, prediction));
  print("\n   It also says how sure it is, and does without a view that was not taken:\n\n" +
        predictions_text(model, parts.test, prediction));
  print(
      fmt::format("\n   The same for yourself:\n"
                  "     cd {0}\n"
                  "     m3lak inspect  {1} --labels diagnosis.csv\n"
                  "     m3lak evaluate {1} --labels diagnosis.csv --folds 5\n"
                  "     m3lak train    {1} --labels diagnosis.csv -o /tmp/model.m3lak\n"
                  "     m3lak predict  /tmp/model.m3lak {1}\n",
                  folder.string(), "mean.csv error.csv worst.csv"));
}

void show_ring(const Options& options) {
  print(
      "\n2. Simulated data: two classes, inside and outside of a ring in the latent space that "
      "both\n"
      "   views share; a tenth of the views is missing. Both classes have their mean at the "
      "ring's\n"
      "   centre, so the nearest mean can only guess; m3lak finds the space and bends its "
      "boundary.\n\n");
  SimulationOptions ring;
  ring.latent = 2;
  ring.noise = 0.2;
  ring.boundary = Boundary::ring;
  ring.missing_views = 0.1;
  const Split parts = split(simulate(ring));
  const Model model = train(parts.training, options);
  print(accuracies_text(parts, model.predict(parts.test)));
  print(
      "\n   The same for yourself:\n"
      "     m3lak simulate -o /tmp/ring.npz --boundary ring --latent 2 --noise 0.2 \\\n"
      "                    --missing-views 0.1\n"
      "     m3lak evaluate /tmp/ring.npz --folds 5\n"
      "     m3lak evaluate /tmp/ring.npz --folds 5 --method nearest-mean\n");
}

void demo(int iterations) {
  Options options;
  options.iterations = iterations;
  options.burn_in = iterations / 2;
  options.check();
  show_breast_cancer(options);
  show_ring(options);
}

}  // namespace

void add_demo(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("demo", "The whole story on data that ships with the program");
  auto iterations = std::make_shared<int>(Options{}.iterations);
  command.add_option("--iterations", *iterations, "Fewer are quicker and less exact")
      ->type_name("N")
      ->capture_default_str();
  command.footer("Example:\n  m3lak demo\nIt takes about a minute and writes no files.");
  command.callback([iterations] { demo(*iterations); });
}

}  // namespace m3lak::cli
