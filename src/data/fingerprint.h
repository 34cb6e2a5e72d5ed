// Whether two data sets are the same, told by a few letters: what has the same fingerprint is taken
// to be the same.
#pragma once

#include <string>

#include "m3lak/dataset.h"

namespace m3lak {

/// Values, gaps and labels; not names.
std::string fingerprint(const Dataset& data);

/// Names too.
std::string fingerprint(const View& view);
std::string fingerprint(const Labels& labels);

}  // namespace m3lak
