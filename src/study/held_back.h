// Probabilities of large data: what the final fits themselves say of instances whose labels they
// have not seen. The fits of the cross-validation are of some of the data, and less sure than
// these.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "data/part.h"
#include "m3lak/options.h"
#include "predict/model_parts.h"

namespace m3lak {

/// How many of so many labels, about; 0 where they are too few to go without some.
M3LAK_API Index held_back_count(Index labelled, const Options& options);

/// Instances whose labels are taken from the training data, which keeps their views; none where
/// labels are too few to go without some.
std::optional<Dataset> hold_back(Dataset& training, const Part& part, const Options& options);

/// The link of each fit and its weight in their average, by what was held back. The first process
/// has the draws, and tells the others.
void judge_fits(const std::vector<std::shared_ptr<Model::Parts>>& fits, Dataset held_back,
                const Part& part, int threads);

}  // namespace m3lak
