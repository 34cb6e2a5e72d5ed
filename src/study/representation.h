// Which scaling, and which weight of each view, tells the classes apart best: found quickly, by
// kernel ridge regression, whose leave-one-out predictions have a closed form.
#pragma once

#include <functional>

#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak {

struct Representation {
  Scaling scaling = Scaling::center;
  Vector variances = {};  ///< that each view is given; they add up to the number of views
  double width = 0;  ///< γ of exp(-γ ‖x - y‖²), where ‖x‖² is 1 on average; 0: a linear kernel
  double ridge = 1;
  double log_loss = 0;  ///< of leave-one-out predictions
};

/// Of centred, standardised and unit-length views each, the weights of the views that predict best;
/// the best first. All instances must have labels. Throws Stopped when `stop` says so.
std::vector<Representation> representations(Workers& workers, const Dataset& labelled,
                                            const std::function<bool()>& stop = {});

/// Scores of each instance by kernel ridge regression on all others: K is their kernel, Y has one
/// row an instance and one column a target.
Matrix leave_one_out(const Matrix& K, double ridge, const Matrix& Y);

}  // namespace m3lak
