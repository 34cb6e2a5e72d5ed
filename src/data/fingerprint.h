// Whether two data sets are the same, told by a few letters: what has the same fingerprint is taken
// to be the same.
#pragma once

#include <string>

#include "data/part.h"
#include "m3lak/dataset.h"

namespace m3lak {

/// Values, gaps and labels; not names.
std::string fingerprint(const Dataset& data);

/// Names too. Of the instances of all processes.
std::string fingerprint(const View& view, const Part& part);
std::string fingerprint(const Labels& labels, const Part& part);

}  // namespace m3lak
