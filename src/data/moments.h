// Mean and variance of each feature of a view, over its known cells.
#pragma once

#include "m3lak/dataset.h"
#include "numeric/parallel.h"

namespace m3lak {

struct M3LAK_API Moments {
  Vector known;  ///< how many cells of the feature are known
  Vector mean;
  Vector variance;  ///< divided by the number of known cells

  /// Constant up to rounding (or nowhere known): not to be divided by its deviation.
  bool is_constant(Index feature) const;

  /// Of the features that are not constant.
  double total_variance() const;
};

M3LAK_API Moments moments_of(const View& view);

/// Over the instances of all processes.
Moments moments_of(Workers& workers, const View& view);

}  // namespace m3lak
