// What is decided by cross-validation inside of the training data: the scaling of the views, C, and
// how scores become probabilities.
#pragma once

#include "m3lak/model.h"
#include "predict/model_parts.h"

namespace m3lak {

/// A fit that is to be part of the model.
struct ChosenFit {
  Options options;
  Link link;
  double weight = 1;
};

struct Tuned {
  std::vector<ChosenFit> choices;  ///< the heaviest first; weights add up to 1
  std::vector<Tried> tried;
};

/// Of how many fits a model may be the average.
int most_fits(const Options& options);

/// For each scaling that may be, the C of the largest accuracy, and for the best of them other C
/// and v if these are to be varied; of all these, the average that gives held-out labels the
/// largest probability. Fits in parallel, each with one thread. Throws Stopped if it is stopped.
Tuned tune(const Dataset& training, const Options& options, const Callbacks& callbacks);

/// Platt's logistic fit of signs (+1, -1) to scores, with his smoothed targets. Without intercept,
/// scores keep their signs.
Link fit_link(const std::vector<double>& scores, const std::vector<int>& signs,
              bool intercept = true);

/// Weights that add up to 1 and make Σ_n log Σ_k w_k p_nk largest, by EM. `p`: one row an instance,
/// one column a model, the probability of what was true.
Vector stacking_weights(const Matrix& p);

}  // namespace m3lak
