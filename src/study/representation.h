// Which scaling, and which weight of each view, tells the classes apart best: found quickly, by
// kernel ridge regression. Scalings are fitted to what is learned from alone: a standardised word
// that one text has makes that text unlike all others, but only if the scaling has seen it.
#pragma once

#include <functional>

#include "m3lak/folds.h"
#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak {

struct Representation {
  Scaling scaling = Scaling::center;
  Vector variances = {};  ///< that each view is given; they add up to the number of views
  double width = 0;  ///< γ of exp(-γ ‖x - y‖²), where ‖x‖² is 1 on average; 0: a linear kernel
  double ridge = 1;
  double log_loss = 0;  ///< of held-out instances
};

/// Of centred, standardised and unit-length views, of values and of their roots, the weights of the
/// views that predict best in these folds; the best first, then whatever makes the average of it
/// and those before it best. All instances must have labels. Throws Stopped when `stop` says so.
std::vector<Representation> representations(Workers& workers, const Dataset& labelled,
                                            const Folds& folds,
                                            const std::function<bool()>& stop = {});

/// The same scalings and weights of views, judged by other, more instances: ridges anew, and widths
/// that are a step away at most. This is quicker by far, so it can look at more of them.
std::vector<Representation> refined(Workers& workers, const std::vector<Representation>& known,
                                    const Dataset& labelled, const Folds& folds,
                                    const std::function<bool()>& stop = {});

/// Scores of instances by kernel ridge regression on others. `own`: the kernel of these others;
/// `across`: with those instances, one column each; Y: one row an instance that is learned from,
/// one column a target.
Matrix ridge_scores(const Matrix& own, const Matrix& across, double ridge, const Matrix& Y);

}  // namespace m3lak
