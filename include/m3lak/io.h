// Reading data from files, and writing it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/export.h"

namespace m3lak {

enum class Header { automatic, yes, no };

/// Where data is, and how its files are to be understood.
struct M3LAK_API DataSource {
  /// Files that hold all views and the labels (.mat, .npz, .h5, .h5mu, .h5ad). A file of one table
  /// (CSV, TSV, .npy, svmlight) counts as one more view.
  std::vector<std::filesystem::path> files;

  /// One file a view, as "FILE" or "NAME=FILE"; without a name the file's own name is taken.
  std::vector<std::string> views;

  /// The file of labels, if they are in a file of their own.
  std::optional<std::filesystem::path> labels;

  /// What holds the labels: a column (by name, or by number from 1), a variable of a .mat, .npz or
  /// .h5 file, or a column of `obs` in an .h5mu file. Empty: found by itself where that is certain.
  std::string label_column;

  /// The column that names the instances, by name or number from 1. Views are joined by it: rows
  /// need not be in the same order, and a name that one view lacks is a missing view. Empty: found
  /// by itself where that is certain. "none": there is none.
  std::string id_column;

  /// Whether the first line of a CSV or TSV file names the columns.
  Header header = Header::automatic;

  /// Variables of a .mat, .npz or .h5 file that are views. Empty: X1, X2, …, or X.
  std::vector<std::string> view_variables;

  /// Labels that stand for "not known", beside empty ones, NA, NaN, null, None and ?.
  std::vector<std::string> unknown_labels;

  /// Refuse data with missing cells instead of taking NaN and empty cells as missing.
  bool refuse_missing_cells = false;

  /// Leave the views in their files, which must then stay as they are, and read them again and
  /// again: for data that is larger than memory. Views must be .npy files of float32 or float64 in
  /// C order.
  bool stream = false;

  /// Threads to read with; 0: as many as there are cores.
  int threads = 0;

  /// Several processes share the instances out: process `rank` of 0 … `ranks` - 1 reads its own.
  /// All tables must then have the same instances in the same order.
  int rank = 0;
  int ranks = 1;
};

/// Data, and what its reader had to decide by itself, in sentences for the user.
struct M3LAK_API ReadResult {
  Dataset data;
  std::vector<std::string> notes;

  /// Of several processes: the place of the first instance that was read among all, and how many
  /// instances all processes have together. The classes of the labels are those of all.
  Index first = 0;
  Index total = 0;
};

M3LAK_API ReadResult read_dataset(const DataSource& source);

/// Formats to write. In csv, tsv, npy and svmlight each view is a file of its own: DATA.csv becomes
/// DATA.<view>.csv, …, and DATA.labels.csv.
enum class FileFormat { csv, tsv, npy, npz, mat, mat73, h5, h5mu, svmlight };

/// By the name of the file ("data.npz"); throws BadUsage if that does not tell.
M3LAK_API FileFormat format_of(const std::filesystem::path& file);

/// Writes all files, or none. Returns their paths.
M3LAK_API std::vector<std::filesystem::path> write_dataset(const Dataset& data,
                                                           const std::filesystem::path& file,
                                                           FileFormat format);

}  // namespace m3lak
