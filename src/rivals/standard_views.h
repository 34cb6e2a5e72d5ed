// Views as most rivals want them: dense, and standardised on the training data.
#pragma once

#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/scaling.h"

namespace m3lak {

class StandardViews {
 public:
  explicit StandardViews(const Dataset& training);

  /// Of each view, one row an instance. What is missing is 0: the mean.
  std::vector<DenseMatrix> operator()(const Dataset& data) const;

 private:
  Scaler scaler_;
};

}  // namespace m3lak
