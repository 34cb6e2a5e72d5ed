// All chains of a fit.
#pragma once

#include "inference/checkpoint.h"
#include "inference/draw_store.h"
#include "m3lak/model.h"
#include "model/problem.h"

namespace m3lak {

/// Whether the scores of a few instances, and training accuracy, are followed.
enum class Trace { whole, without_scores };

struct Sampled {
  std::vector<Draw> draws;
  std::vector<int> chain_of;  ///< of each draw
  std::vector<TraceRow> trace;
  bool stopped = false;
};

/// Runs the chains, in parallel where there are enough of them, and keeps every
/// options.thin-th draw after burn-in, in the store. If all chains are stopped in burn-in, the last
/// state of the first is the only draw. Chains go on from where the checkpoint has them, in
/// sections whose names begin with `name`; these are saved when the chains are stopped, and removed
/// in the end. Where several processes run them together, one after the other, the first has the
/// draws.
Sampled sample(const Problem& problem, const Options& options, const Callbacks& callbacks,
               Trace trace, DrawStore& store, Checkpoint& checkpoint, const std::string& name,
               Cluster* cluster = nullptr);

}  // namespace m3lak
