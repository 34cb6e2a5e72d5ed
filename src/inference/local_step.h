// The local step: everything that belongs to one instance, block by block of X, and the sums that
// the global step needs.
#pragma once

#include <memory>

#include "m3lak/options.h"
#include "model/move.h"
#include "model/problem.h"
#include "model/state.h"
#include "model/statistics.h"

namespace m3lak {

struct LocalSums {
  Statistics statistics;
  Acceptance acceptance;  ///< of the moves of h
  double squares = 0;     ///< Σ ‖h‖² + Σ ‖u‖²
};

template <class Kind>
void transfer(Kind& archive, LocalSums& sums) {
  archive(sums.statistics, sums.acceptance, sums.squares);
}

/// Keeps its memory from one iteration to the next.
class LocalStep {
 public:
  virtual ~LocalStep() = default;

  /// Draws h, then u, then the missing cells of all instances. The sums are valid until the next
  /// call.
  virtual const LocalSums& operator()(const Iteration& iteration, const Move& move,
                                      State& state) = 0;

  /// The sums alone, of the state as it is.
  virtual const Statistics& collect(State& state) = 0;
};

/// All must outlive it.
std::unique_ptr<LocalStep> local_step(Workers& workers, const Problem& problem,
                                      const Options& options);

}  // namespace m3lak
