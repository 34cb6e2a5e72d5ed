// Cross-validation by several processes.
#pragma once

#include "m3lak/evaluate.h"
#include "numeric/cluster.h"

namespace m3lak {

/// As `evaluate`, where each process has all of the data and does its share of the folds; all get
/// the result. No cluster: this process does all of them.
M3LAK_API Evaluation evaluate_together(Cluster* cluster, const Dataset& data, const Method& method,
                                       int folds, std::uint64_t seed, int threads,
                                       const EvaluateCallbacks& callbacks);

}  // namespace m3lak
