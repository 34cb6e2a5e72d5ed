// The tuned support vector machine: what a user would do instead. All views side by side; kernel,
// scaling, C and γ by cross-validation inside of the training data.
#pragma once

#include <functional>

#include "m3lak/model.h"

namespace m3lak {

/// Of more than `tuned_on` instances, so many are taken at random to tune on; the machine is then
/// trained on all. Throws Stopped if it is stopped.
Prediction svm(const Dataset& data, const Dataset& test, Index tuned_on,
               const std::function<bool()>& stop);

}  // namespace m3lak
