// What is decided by cross-validation inside of the training data: the scaling of the views, C, and
// how scores become probabilities.
#pragma once

#include "predict/link.h"
#include "study/fit_one.h"
#include "study/inner_validation.h"
#include "study/representation.h"

namespace m3lak {

/// A fit that is to be part of the model.
struct ChosenFit {
  Candidate candidate;
  Link link;
  double weight = 1;
};

struct Tuned {
  std::vector<ChosenFit> choices;  ///< the heaviest first; weights add up to 1
  std::vector<Tried> tried;        ///< without weights
};

/// What takes time in tuning, as far as it is done.
struct TuningProgress {
  std::vector<Representation> representations;
  std::vector<HeldOut> folds;  ///< of each candidate; without labels: not done yet
};

/// For each scaling that may be, the C of the largest accuracy, and for the best of them other C
/// and v if these are to be varied; of all these, the average that gives held-out labels the
/// largest probability. Fits in parallel, each with one thread. Throws Stopped if it is stopped.
/// `progress` is kept in the checkpoint, and what is there already is not computed again.
/// Where there are several processes, each does its share of the fits, on instances that all have.
Tuned tune(const Dataset& training, const Part& part, const Options& options,
           const Callbacks& callbacks, Checkpoint& checkpoint, TuningProgress& progress);

/// Weights that make held-out labels most probable, drawn a little towards even ones. `p`: as
/// stacking_weights has it.
Vector weights_of_fits(const Matrix& p);

}  // namespace m3lak
