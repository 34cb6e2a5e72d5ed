// A dataset as named variables, as read_variables understands them: for .npz, .mat and .h5 files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "m3lak/dataset.h"

namespace m3lak {

/// What takes the variables of a dataset. All that it is given stays alive until finish().
class VariableSink {
 public:
  virtual ~VariableSink() = default;
  virtual void matrix(const std::string& name, const DenseMatrix& values) = 0;
  virtual void matrix(const std::string& name, const SparseMatrix& values) = 0;
  virtual void numbers(const std::string& name, std::span<const double> values) = 0;
  virtual void texts(const std::string& name, std::span<const std::string> values) = 0;

  /// Called once, at last. Throws Error if not everything could be written.
  virtual void finish() = 0;
};

void write_variables(const Dataset& data, VariableSink& sink);

/// The values of a dense view with NaN where an instance lacks it.
DenseMatrix with_absent_as_nan(const View& view);

/// The labels as numbers, unknown ones NaN; nothing unless each class is the text of its number.
std::optional<std::vector<double>> numeric_labels(const Labels& labels);

/// The labels as texts, unknown ones empty.
std::vector<std::string> label_texts(const Labels& labels);

}  // namespace m3lak
