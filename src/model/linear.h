// λ and γ given the rest: the classifier's weights on the principal coordinates z of the views.
//
// f = β·(φ, 1) + γ·z with γ ~ N(0, (g/v) I). γ of each class is drawn in groups of coordinates,
// each given the others: precision P = (v/g) I + C² Σ_n x_n z_n z_nᵀ, mean
// P^{-1} Σ_n (C y_n + C² x_n (y_n - f_n without the group)) z_n, with x = 1/λ. Small data has one
// group.
#pragma once

#include <memory>

#include "m3lak/options.h"
#include "model/problem.h"
#include "model/state.h"

namespace m3lak {

/// Draws λ of all instances and classes, then γ; keeps State::linear with it. Keeps its memory from
/// one draw to the next.
class LinearDraws {
 public:
  virtual ~LinearDraws() = default;
  virtual void operator()(const Iteration& iteration, State& state) = 0;
};

/// All must outlive it.
std::unique_ptr<LinearDraws> linear_draws(Workers& workers, const Problem& problem,
                                          const Options& options);

}  // namespace m3lak
