#include "cli/data_options.h"

#include "cli/choice.h"
#include "cli/print.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"

namespace m3lak::cli {

void add_data_options(CLI::App& command, DataSource& source) {
  const std::string group = "Data";
  command
      .add_option("DATA", source.files,
                  "Files that hold all views and labels (.mat, .npz, .h5, .h5mu, .h5ad), or tables "
                  "that are a view each")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--view", source.views,
                  "A view: CSV or TSV (also .gz), .npy, svmlight, or one of the formats above; "
                  "repeat it for each view")
      ->type_name("[NAME=]FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command.add_option("--labels", source.labels, "The labels, if they are in a file of their own")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--label-column", source.label_column,
                  "What holds the labels: a column (name, or number from 1), a variable of a .mat, "
                  ".npz or .h5 file, a column of obs in an .h5mu file")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--id-column", source.id_column,
                  "The column that names the instances, by which views are joined (name, or number "
                  "from 1; 'none': there is none)")
      ->type_name("NAME")
      ->group(group);
  add_choice(command, "--header", source.header,
             Choices<Header>{{"auto", Header::automatic}, {"yes", Header::yes}, {"no", Header::no}},
             "Whether the first line of a table names its columns (default: auto)")
      ->group(group);
  command
      .add_option("--view-variables", source.view_variables,
                  "Variables of a .mat, .npz or .h5 file that are views (default: X1, X2, …, or X)")
      ->type_name("NAME,…")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command
      .add_option("--unknown-label", source.unknown_labels,
                  "A label that means 'not known', beside empty, NA, NaN, null, None and ?")
      ->type_name("LABEL")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  command
      .add_flag("--no-missing-cells", source.refuse_missing_cells,
                "Refuse data with NaN or empty cells instead of taking them as missing")
      ->group(group);
}

void add_threads_option(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Threads to use (default: all cores)")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
}

void add_positive_option(CLI::App& command, std::vector<std::string>& positive) {
  command
      .add_option("--positive", positive,
                  "Tell these classes from all others, instead of each class from each")
      ->type_name("LABEL[,…]")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Data");
}

ReadResult read_and_tell(const DataSource& source, bool quiet) {
  ReadResult result = read_dataset(source);
  if (!quiet) {
    for (const std::string& note : result.notes) say("note: {}", note);
  }
  return result;
}

Dataset read_labelled(const DataSource& source, const std::vector<std::string>& positive,
                      bool quiet, Part* part) {
  ReadResult read = read_and_tell(source, quiet);
  Dataset data = std::move(read.data);
  if (part) *part = {read.first, read.total};
  if (!data.labels) {
    throw BadData("the data has no labels; name them by --labels FILE or --label-column NAME");
  }
  if (!positive.empty()) data.labels = one_against_rest(*data.labels, positive);
  data.labels->require_two_classes();
  return data;
}

std::string shape_text(const Dataset& labelled) {
  const Index unknown = labelled.labels->unknown_count();
  return fmt::format("{} instances{}, {} view{}, {} features, {} classes",
                     with_commas(labelled.instances()),
                     unknown == 0 ? "" : fmt::format(" ({} without a label)", with_commas(unknown)),
                     labelled.views.size(), labelled.views.size() == 1 ? "" : "s",
                     with_commas(labelled.features()), labelled.labels->classes.size());
}

}  // namespace m3lak::cli
