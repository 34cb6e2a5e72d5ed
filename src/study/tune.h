// The choice of C by cross-validation inside of the training data, and what its held-out scores say
// about probabilities.
#pragma once

#include "m3lak/model.h"
#include "predict/model_parts.h"

namespace m3lak {

struct Tuned {
  double C = 0;
  std::vector<std::pair<double, double>> tried;  ///< each C and its accuracy
  Link link;                                     ///< fitted to the held-out scores of the best C
};

/// Fits in parallel, each with one thread. Throws Stopped if it is stopped.
Tuned tune(const Dataset& training, const Options& options, const Callbacks& callbacks);

/// Platt's logistic fit of signs (+1, -1) to scores, with his smoothed targets.
Link fit_link(const std::vector<double>& scores, const std::vector<int>& signs);

}  // namespace m3lak
