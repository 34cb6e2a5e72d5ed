// λ and β given h, ω and γ.
//
// β of each class: precision P = vI + C² Σ_n x_n φ~_n φ~_nᵀ, mean
// P^{-1} Σ_n (C y_n + C² x_n (y_n - γ·z_n)) φ~_n, with x = 1/λ and φ~ = (φ, 1).
#pragma once

#include <memory>

#include "m3lak/options.h"
#include "model/problem.h"
#include "model/state.h"

namespace m3lak {

/// Draws λ of all instances and classes given the present β, then β given λ. Keeps its memory from
/// one draw to the next.
class WeightDraws {
 public:
  virtual ~WeightDraws() = default;
  virtual void operator()(const Iteration& iteration, State& state) = 0;
};

/// All must outlive it.
std::unique_ptr<WeightDraws> weight_draws(Workers& workers, const Problem& problem,
                                          const Options& options);

}  // namespace m3lak
