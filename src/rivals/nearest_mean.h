// The class whose mean, over the standardised features of all views, is nearest: the least that
// others have to beat.
#pragma once

#include <memory>

#include "m3lak/classifier.h"

namespace m3lak {

std::unique_ptr<Classifier> nearest_mean();

}  // namespace m3lak
