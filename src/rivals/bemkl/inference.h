// Mean-field inference of BEMKL's model. For N instances and P kernels, with Gamma(shape, scale):
//
//   λ_n ~ Gamma, a_n ~ N(0, 1/λ_n)               weights of the instances
//   g_pn ~ N(k_pnᵀ a, σ²)                         what kernel p makes of instance n
//   γ ~ Gamma, b ~ N(0, 1/γ)                      the bias
//   ω_p ~ Gamma, e_p ~ N(0, 1/ω_p)                weights of the kernels
//   f_n ~ N(eᵀ g_n + b, 1), y_n f_n > ν           scores, on their class's side of the margin
//
//   q = q(λ) q(a) q(G) q(γ) q(ω) q(b, e) q(f)
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "numeric/parallel.h"
#include "rivals/bemkl/bemkl.h"
#include "rivals/bemkl/kernels.h"
#include "rivals/bemkl/precision.h"

namespace m3lak::bemkl_parts {

/// What q is between two sweeps; q(λ), q(γ) and q(ω) follow from it.
struct Posterior {
  Vector a, a_variances;
  Matrix G;              ///< P×N means; no update starts from their covariance
  Vector be;             ///< means of b and then e
  Matrix be_covariance;  ///< of b and e
  Vector f;

  double b() const { return be[0]; }
  auto e() const { return be.tail(be.size() - 1); }
};

/// a ~ N(0, 1), g and f ~ y (|N(0, 1)| + ν), b = 0, e = 1; covariances I.
Posterior random_start(const Vector& y, Index kernels, double margin, std::uint64_t seed);

class Inference {
 public:
  /// `workers`, `kernels` and `y` have to outlive it. `stop` as in Rival::train.
  Inference(Workers& workers, const Kernels& kernels, const Vector& y, const BemklOptions& options,
            Posterior start, const std::function<bool()>& stop);

  /// Updates all factors once.
  void sweep();

  /// The lower bound of log p(y), after a sweep. Sweeps never lower it.
  double bound() const;

  const Posterior& posterior() const { return q_; }

 private:
  /// x_i ~ N(0, 1/precision_i), precision_i ~ Gamma(shape, scale) of the prior.
  class Gammas {
   public:
    explicit Gammas(BemklPrior prior);
    void update(const Vector& expected_squares);
    Vector means() const { return (prior_shape_ + 0.5) * scales_; }

    /// E log p(x, precision) + entropy of q(precision).
    double bound(const Vector& expected_squares) const;

   private:
    double prior_shape_, prior_scale_;
    Vector scales_;
  };

  void update_a();
  void update_G();
  void update_be();
  void update_f();

  template <class Update>
  void pass_kernels(const Update& update_column);

  Vector squares_of_a() const;
  Vector squares_of_be() const;
  Matrix squares_of_e() const;
  Vector products_of_b_and_e() const;
  double bound_of_G() const;
  double bound_of_f() const;

  Workers& workers_;
  const Kernels& kernels_;
  const Vector& y_;
  double precision_of_g_, margin_;
  Posterior q_;

  Matrix T_;                // Σ_p K_p K_pᵀ/σ², lower half
  Vector kernels_times_G_;  // Σ_p K_p G_p, of the current G
  Matrix a_times_kernels_;  // P×N: aᵀ k_pn
  Vector output_;           // eᵀ g_n + b
  Matrix G_covariance_;     // of each column of G
  Matrix squares_of_G_;     // ⟨G Gᵀ⟩
  Vector sum_of_G_;         // Σ_n g_n
  double log_probability_ = 0;
  Gammas lambda_, gamma_and_omega_;
  FactoredPrecision of_a_, of_g_, of_be_;

  Reduction<Vector> sums_;
  std::vector<Matrix> values_;  // of each worker: K⁽ⁿ⁾
};

}  // namespace m3lak::bemkl_parts
