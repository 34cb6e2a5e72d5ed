// ω given h, β, λ and the mixture.
//
// Potential: Σ_j ½(ω_j - μ_z)ᵀ Σ_z^{-1} (ω_j - μ_z) + Σ_n hinge(y_n f_n).
#pragma once

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

FrequencySweep move_frequencies(Workers& workers, const Iteration& iteration,
                                const Problem& problem, const Hinge& hinge, Sweep sweep,
                                const Move& move, State& state);

}  // namespace m3lak
