// β and γ of each class at once given h and ω, with λ integrated out.
//
// Where classes are far apart the hinge of most instances is flat, yet λ ties each score to where
// it was: draws given λ take steps that are small beside the posterior's width. Hamiltonian moves
// take large ones. Potential: ½v‖β‖² + ½(v/g)‖γ‖² + 2C Σ_n max(0, 1 - y_n f_n) with f = β·(φ, 1) +
// γ·z.
#pragma once

#include <memory>

#include "m3lak/options.h"
#include "model/move.h"
#include "model/problem.h"
#include "model/state.h"

namespace m3lak {

/// Keeps its memory from one move to the next.
class WeightMoves {
 public:
  virtual ~WeightMoves() = default;

  /// Makes what the posterior looks like near a state the metric of all moves to come (it is that
  /// of the prior before). Only in burn-in: afterwards it must not depend on the state.
  virtual void aim(const State& state) = 0;

  /// Moves the weights of each class once; keeps State::linear with them.
  virtual Acceptance operator()(const Iteration& iteration, const Move& move, State& state) = 0;

  /// The metric of each class, as lower Cholesky factors.
  virtual std::vector<Matrix>& metric() = 0;
};

/// All must outlive it.
std::unique_ptr<WeightMoves> weight_moves(Workers& workers, const Problem& problem,
                                          const Options& options);

/// Bytes that it keeps.
double weight_moves_memory(const Problem& problem, const Options& options);

}  // namespace m3lak
