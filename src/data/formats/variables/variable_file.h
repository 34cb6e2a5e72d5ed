// Files of named variables (.npz, .mat, .h5), and the one rule by which views and labels are found
// in them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/formats/variables/variable_matrix.h"
#include "data/table.h"

namespace m3lak {

enum class VariableKind {
  numbers,  // an array, or a sparse matrix
  text,     // an array of texts
  list,     // of matrices: a cell array, a group
  other     // nothing that is read, but named in messages
};

struct Variable {
  std::string name;
  VariableKind kind = VariableKind::other;
  std::vector<std::uint64_t> shape;
  std::string type;  // "float64", "sparse", "struct": for messages
};

struct NamedMatrix {
  std::string name;    // empty: none
  std::string origin;  // "X{2}", "X/rna": for messages
  Matrix values;
  std::optional<Index> total = std::nullopt;  // as in Table
};

/// The variables of a file: listed when it is opened, loaded only when asked for.
class VariableFile {
 public:
  explicit VariableFile(const std::filesystem::path& path) : path_(path.string()) {}
  virtual ~VariableFile() = default;
  VariableFile(const VariableFile&) = delete;
  VariableFile& operator=(const VariableFile&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<Variable>& variables() const { return variables_; }
  const Variable* find(std::string_view name) const;

  /// "data.mat: X1".
  std::string origin(const Variable& variable) const { return path_ + ": " + variable.name; }

  /// Of kind `numbers`, with at most two sizes; a vector is one column.
  virtual Matrix matrix(const Variable& variable) const = 0;

  /// Of kind `text`, one entry a row.
  virtual std::vector<std::string> texts(const Variable& variable) const = 0;

  /// Of kind `list`.
  virtual std::vector<NamedMatrix> members(const Variable& variable) const = 0;

  /// The same two for one of several processes, which needs no more than its own rows; there may be
  /// all.
  virtual NamedMatrix own_rows(const Variable& variable, Share) const {
    return {variable.name, variable.name, matrix(variable), {}};
  }
  virtual std::vector<NamedMatrix> own_members(const Variable& variable, Share) const {
    return members(variable);
  }

 protected:
  void add(Variable variable) { variables_.push_back(std::move(variable)); }

 private:
  std::string path_;
  std::vector<Variable> variables_;
};

/// Views: `view_variables` of the source; else X1, X2, …; else X (or, in .h5, `views`). Labels: the
/// source's `label_column`; else the first there is of y, Y, gt, label, labels, truth, target and
/// class. Beside them `instance_names`, `view_names`, `feature_names_1`, …, and `missing`
/// (instances × views; not zero: the instance lacks the view).
FileContents read_variables(const VariableFile& file, const ReadContext& context);

/// The labels alone, of a file whose views (if it has any) do not matter.
LabelTable read_variable_labels(const VariableFile& file, const ReadContext& context);

/// The text of a label that is a number; NaN is unknown: "". Throws BadData, which begins with
/// `origin`, if it is too large to be told from its neighbours.
std::string label_of_number(double value, const std::string& origin);

}  // namespace m3lak
