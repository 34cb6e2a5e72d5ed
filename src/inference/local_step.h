// The local step: everything that belongs to one instance, block by block of X, and the sums that
// the global step needs.
#pragma once

#include "model/latent.h"
#include "model/problem.h"
#include "model/state.h"
#include "model/statistics.h"

namespace m3lak {

struct LocalStep {
  Statistics statistics;
  Acceptance acceptance;  ///< of the moves of h
};

/// Draws h, then u, then the missing cells of all instances.
LocalStep local_step(Workers& workers, const Iteration& iteration, const Problem& problem,
                     const Options& options, const Move& move, State& state);

/// The sums alone, of the state as it is.
Statistics collect(Workers& workers, const Problem& problem, const State& state);

}  // namespace m3lak
