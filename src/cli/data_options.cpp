#include "cli/data_options.h"

#include "cli/choice.h"
#include "cli/print.h"

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
  command.add_option("--threads", source.threads, "Threads to use (default: all cores)")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""))
      ->group(group);
}

ReadResult read_and_tell(const DataSource& source, bool quiet) {
  ReadResult result = read_dataset(source);
  if (!quiet) {
    for (const std::string& note : result.notes) say("note: {}", note);
  }
  return result;
}

}  // namespace m3lak::cli
