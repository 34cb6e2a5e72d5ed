// A fit by several processes.
#pragma once

#include "data/part.h"
#include "m3lak/model.h"

namespace m3lak {

/// As `fit`, where each process has its part of the training data (see own_instances), the same
/// classes and the same settings. The model is the same as that of one process, to the last bit if
/// the number of processes is a power of two; the first process has it, the others have it without
/// its draws.
M3LAK_API Model fit_together(Dataset training, const Part& part, const Options& options,
                             const Callbacks& callbacks,
                             const std::optional<CheckpointPlan>& checkpoint);

/// As plan_draws, for so many instances in all.
M3LAK_API DrawsPlan plan_draws(const Dataset& training, Index instances, const Options& options);

}  // namespace m3lak
