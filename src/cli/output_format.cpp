#include "cli/output_format.h"

#include "cli/choice.h"
#include "cli/print.h"
#include "data/file.h"

namespace m3lak::cli {

void Output::check() const {
  if (!format) format_of(file);
  AtomicFiles().stage(file);
}

void Output::write(const Dataset& data, bool quiet) const {
  for (const auto& path : write_dataset(data, file, format ? *format : format_of(file))) {
    if (!quiet) say("wrote {}", path.string());
  }
}

void add_output_options(CLI::App& command, Output& output) {
  command
      .add_option("-o,--output", output.file,
                  "Where to write; the ending tells the format: .npz, .mat, .h5, .h5mu, or, with "
                  "one file a view, .csv, .tsv, .npy, .svm")
      ->required()
      ->type_name("FILE");
  add_choice(command, "--format", output.format,
             Choices<FileFormat>{{"csv", FileFormat::csv},
                                 {"tsv", FileFormat::tsv},
                                 {"npy", FileFormat::npy},
                                 {"npz", FileFormat::npz},
                                 {"mat", FileFormat::mat},
                                 {"mat73", FileFormat::mat73},
                                 {"h5", FileFormat::h5},
                                 {"h5mu", FileFormat::h5mu},
                                 {"svmlight", FileFormat::svmlight}},
             "The format, if the ending does not tell it; mat73 is MATLAB 7.3");
}

}  // namespace m3lak::cli
