// Some of the instances of large data, classes in their proportions.
#pragma once

#include <cstdint>

#include "data/part.h"

namespace m3lak {

/// How many instances of all processes have a label.
Index labelled_count(const Dataset& training, const Part& part);

/// As much of the training data as it takes to choose: `most` labelled instances, about. Each
/// process gets all of it.
Dataset enough_of(const Dataset& training, const Part& part, Index most, std::uint64_t seed);

/// About as many labelled instances as `count`, others than those of enough_of unless these are
/// nearly all, and of no class half of its labels. Their labels become unknown in the training
/// data; each process gets them all, with their labels.
Dataset hold_back(Dataset& training, const Part& part, Index count, std::uint64_t seed);

}  // namespace m3lak
