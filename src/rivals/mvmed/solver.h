// The dual of multi-view maximum entropy discrimination, and its solution by exchanges between
// pairs of instances.
//
// View v has f_v(x) = θ_vᵀ φ_v(x) + b_v. Of all p(θ, b, γ) with E[y_t f_v(x_t) - γ_t] ≥ 0 for each
// instance t and each view v, the nearest to the prior θ_v ~ N(0, I), b_v flat and
// p(γ_t) = c exp(-c (1 - γ_t)), γ_t ≤ 1, is wanted. With s_t = Σ_v λ_tv, its λ maximise
//
//   D(λ) = Σ_t [s_t + log(1 - s_t/c)] - ½ Σ_v Σ_tu λ_tv λ_uv y_t y_u k_v(x_t, x_u)
//   subject to λ_tv ≥ 0 and Σ_t y_t λ_tv = 0 for each v
//
// (the variant `box`: without the logarithm, but s_t ≤ c), and the mean discriminant is
// f_v(x) = Σ_t λ_tv y_t k_v(x_t, x) + b_v.
#pragma once

#include <functional>
#include <vector>

#include "m3lak/model.h"
#include "rivals/mvmed/exchanges.h"
#include "rivals/mvmed/kernels.h"

namespace m3lak::med {

struct Rules {
  bool box = false;
  double tolerance = 1e-3;
  Index most_steps = 1'000'000;
};

class Solver {
 public:
  /// λ = 0. The workers, the kernels and `y`, +1 or -1, must outlive it; both signs must occur.
  Solver(Workers& workers, Kernels& kernels, const Vector& y, const Rules& rules);

  /// From now on with this c, from the λ that there is: c must not be less than it was.
  void set_c(double c);

  /// Goes on until no direction is steeper than the tolerance. Throws Stopped if `stop` says so.
  void solve(const std::function<bool()>& stop = {});

  /// One step upwards; false, and nothing else, if no direction is steeper than the tolerance.
  bool step();

  /// λ, one row an instance, one column a view.
  auto lambda() const { return shares_.rightCols(views_); }

  /// c - s of each instance.
  auto slack() const { return shares_.col(0); }

  /// b of each view.
  Vector biases() const;

 private:
  /// G_tv = y_t (1 - 1/(c - s_t)) - Σ_u λ_uv y_u k_v(x_t, x_u): by how much D rises with y_t λ_tv,
  /// and b_v as instance t would have it, if λ_tv > 0. Of place 0, nothing.
  double G(Index t, Index place) const { return place == 0 ? 0 : target_[t] - sums_(t, place - 1); }

  Cycle steepest() const;
  Cycle steepest_pair() const;
  Exchanges all_exchanges() const;
  void move(const Cycle& cycle);
  void note(Index t);
  void renew_sums();
  void look_again(Index view);
  void look_again(Index view, Index t);

  Workers& workers_;
  Kernels& kernels_;
  const Vector& y_;
  Rules rules_;
  Index instances_, views_;
  double c_ = 0;
  Matrix shares_;  ///< how instance t has divided c: what is left, and λ of each view

  // With a few instances more, that can neither rise nor fall, so that vector registers are full.
  Matrix sums_;           ///< Σ_u λ_uv y_u k_v(x_t, x_u)
  Vector target_;         ///< y_t (1 - 1/(c - s_t)), or y_t
  Matrix rises_, falls_;  ///< 0 where y_t λ_tv can rise, or fall, at the cost of place 0; else -∞

  /// Of each view the steepest exchange with place 0 by which Σ_t y_t λ_tv rises, and falls.
  std::vector<Exchange> steepest_rise_, steepest_fall_;
  std::vector<Exchange> rises_of_block_, falls_of_block_;  ///< while all are looked at
  Index steps_ = 0;
};

}  // namespace m3lak::med
