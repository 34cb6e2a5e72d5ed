// The visible units of a harmonium: the features of all views side by side, each view one wing.
#pragma once

#include <vector>

#include "m3lak/dataset.h"
#include "numeric/parallel.h"

namespace m3lak::harmonium {

enum class Kind { gaussian, bernoulli };

/// Units begin, begin + 1, … are the features of one view.
struct Wing {
  Kind kind = Kind::gaussian;
  Index begin = 0;
  Index size = 0;
};

/// Makes units of data, as the training data tells. A feature that is constant there is no unit:
/// the conditional variance of its wing would be wrong for it.
class Visible {
 public:
  explicit Visible(const Dataset& training);

  const std::vector<Wing>& wings() const { return wings_; }
  Index units() const;

  /// One row an instance. Gaussian: standardised, counts after log(1 + x); Bernoulli: as it is.
  /// What is missing is the mean of that. Throws BadData if the views are not those of the training
  /// data.
  DenseMatrix operator()(const Dataset& data, Workers& workers) const;

 private:
  /// A known value x of the feature, or log(1 + x) of counts, becomes (x - shift) · factor.
  struct Unit {
    Index feature = 0;
    double shift = 0;
    double factor = 1;
    double if_missing = 0;
  };

  void add_wing(const View& view);
  void write(const View& view, std::size_t number, const Block& block, DenseMatrix& rows) const;

  std::vector<Wing> wings_;                  // of each view
  std::vector<bool> are_counts_;             // of each view
  std::vector<Unit> units_;                  // of all views
  std::vector<std::vector<Index>> unit_of_;  // of each view's features; -1: none
};

}  // namespace m3lak::harmonium
