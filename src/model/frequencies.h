// ω given h, β, γ, λ and the mixture.
//
// Potential: Σ_j ½(ω_j - μ_z)ᵀ Σ_z^{-1} (ω_j - μ_z) + Σ_n hinge(y_n f_n).
#pragma once

#include <memory>

#include "m3lak/options.h"
#include "model/hinge.h"
#include "model/move.h"
#include "model/problem.h"
#include "model/state.h"

namespace m3lak {

/// What a sweep over the frequencies leaves behind.
struct FrequencySweep {
  Acceptance acceptance;
  double loss = 0;  ///< Σ max(0, ζ) at its end
};

/// Moves all frequencies of a state once. Keeps its memory from one sweep to the next.
class FrequencyMoves {
 public:
  virtual ~FrequencyMoves() = default;
  virtual FrequencySweep operator()(const Iteration& iteration, const Move& move, State& state) = 0;
};

/// Workers and problem must outlive it.
std::unique_ptr<FrequencyMoves> frequency_moves(Workers& workers, const Problem& problem,
                                                const Hinge& hinge, Sweep sweep,
                                                Precision precision);

/// The two ways: each given the others, or all in one trajectory.
template <class Value>
std::unique_ptr<FrequencyMoves> frequencies_one_by_one(Workers& workers, const Problem& problem,
                                                       const Hinge& hinge);
template <class Value>
std::unique_ptr<FrequencyMoves> frequencies_together(Workers& workers, const Problem& problem,
                                                     const Hinge& hinge);

}  // namespace m3lak
