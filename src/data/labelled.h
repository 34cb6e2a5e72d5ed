// The part of the data that has labels.
#pragma once

#include <string>

#include "m3lak/dataset.h"

namespace m3lak {

/// The instances whose class is known. Throws BadData, in the name of `method`, if there are none.
Dataset labelled(const Dataset& data, const std::string& method);

}  // namespace m3lak
