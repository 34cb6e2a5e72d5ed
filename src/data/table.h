// What the readers of single files give, before views and labels of several files are joined.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/io.h"
#include "numeric/parallel.h"
#include "numeric/share.h"

namespace m3lak {

/// What a reader makes of a matrix; nothing of it is borrowed.
using ReadMatrix = std::variant<DenseMatrix, SparseMatrix, FloatMatrix>;

/// One view as one file has it. Unknown cells are NaN.
struct Table {
  std::string name;    // of the view; empty if the file does not name it
  std::string origin;  // for messages: "rna.csv", or "all.mat: X1"
  ReadMatrix values;
  std::vector<std::string> feature_names;  // empty: none
  std::vector<std::string> ids;            // of the rows; empty: none
  std::vector<std::uint8_t> absent;        // as in View

  /// Instead of `values`: rows that are left in their file.
  std::variant<std::monostate, Borrowed<double>, Borrowed<float>, Streamed> in_file;

  /// How many rows the file has, if only those of this process are here.
  std::optional<Index> total;

  /// Of those that are here.
  Index rows() const;
};

/// Labels as one file has them, as text: numbers are written as short as they can be read back.
/// They are always those of all rows.
struct LabelTable {
  std::string origin;
  std::vector<std::string> ids;  // of the rows; empty: none
  std::vector<std::string> texts;
};

struct FileContents {
  std::vector<Table> views;
  std::optional<LabelTable> labels;
  std::vector<std::string> notes;  // what the reader decided by itself, for the user
};

/// What every reader is given beside the path of its file.
struct ReadContext {
  const DataSource& source;
  Workers& workers;

  Share share() const { return {source.rank, source.ranks}; }
};

}  // namespace m3lak
