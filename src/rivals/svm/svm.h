// The tuned support vector machine: what a user would do instead. All views side by side (LIBSVM,
// LIBLINEAR); linear or radial kernel, scaling of the views, C and γ by cross-validation inside of
// the training data; what is missing is the mean.
#pragma once

#include <memory>

#include "m3lak/classifier.h"

namespace m3lak {

/// Of more than `tuned_on` instances, so many are taken at random to tune on; the machine is then
/// trained on all.
std::unique_ptr<Classifier> svm(Index tuned_on = 2000);

}  // namespace m3lak
