// λ and β given h and ω.
//
// β of each class: precision P = vI + C² Σ_n x_n φ~_n φ~_nᵀ, mean P^{-1} Σ_n (C + C² x_n) y_n φ~_n,
// with x = 1/λ and φ~ = (φ, 1).
#pragma once

#include "m3lak/options.h"
#include "model/problem.h"
#include "model/state.h"

namespace m3lak {

/// λ of all instances and classes given the present β, then β given λ.
void draw_weights(Workers& workers, const Iteration& iteration, const Problem& problem,
                  const Options& options, State& state);

}  // namespace m3lak
