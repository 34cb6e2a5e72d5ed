// The prior's factors over precisions, and the lower bound of log p(y): E_q log p - E_q log q.
#include <cmath>
#include <numbers>

#include "rivals/bemkl/inference.h"

namespace m3lak::bemkl_parts {

namespace {

const double log_two_pi = std::log(2 * std::numbers::pi);

/// Of a normal distribution.
double entropy(Index dimension, double log_determinant) {
  return 0.5 * (static_cast<double>(dimension) * (log_two_pi + 1) + log_determinant);
}

}  // namespace

Inference::Gammas::Gammas(BemklPrior prior)
    : prior_shape_(prior == BemklPrior::plain ? 1 : 1e-10),
      prior_scale_(prior == BemklPrior::plain    ? 1
                   : prior == BemklPrior::sparse ? 1e10
                                                 : 1e-10) {}

void Inference::Gammas::update(const Vector& expected_squares) {
  scales_ = (1 / prior_scale_ + expected_squares.array() / 2).inverse();
}

// With prior (α, β) and q (A, s), A = α + 1/2, of one precision:
//   E log p(precision) = -α log β - log Γ(α) + (α - 1)(ψ(A) + log s) - A s/β
//   E log p(x | precision) = (ψ(A) + log s - log 2π - A s ⟨x²⟩)/2
//   entropy = A + log s + log Γ(A) + (1 - A) ψ(A)
// In their sum, ψ cancels.
double Inference::Gammas::bound(const Vector& expected_squares) const {
  const double A = prior_shape_ + 0.5;
  const double constant = -prior_shape_ * std::log(prior_scale_) - std::lgamma(prior_shape_) +
                          std::lgamma(A) + A - log_two_pi / 2;
  const auto s = scales_.array();
  return (constant + A * s.log() - A * s * (1 / prior_scale_ + expected_squares.array() / 2)).sum();
}

double Inference::bound() const {
  const double of_a = lambda_.bound(squares_of_a()) + entropy(q_.a.size(), of_a_.log_determinant());
  const double of_be =
      gamma_and_omega_.bound(squares_of_be()) + entropy(q_.be.size(), of_be_.log_determinant());
  return of_a + of_be + bound_of_G() + bound_of_f();
}

// E log p(G | a) = -(‖G - [aᵀk_pn]‖² + N tr S_G + tr(T S_a))/(2σ²) - NP/2 log(2πσ²), with the
// entropy of q(G). As S_a⁻¹ = diag(d) + T/σ², tr(T S_a)/σ² = N - Σ_n d_n S_a(n, n).
double Inference::bound_of_G() const {
  const auto N = static_cast<double>(q_.G.cols()), P = static_cast<double>(q_.G.rows());
  const double deviation = (q_.G - a_times_kernels_).squaredNorm() + N * G_covariance_.trace();
  const double spread_of_a = N - of_a_.diagonal().dot(q_.a_variances);
  return -0.5 * (precision_of_g_ * deviation + spread_of_a) -
         0.5 * N * P * (log_two_pi - std::log(precision_of_g_)) +
         N * entropy(q_.G.rows(), of_g_.log_determinant());
}

// E log p(f | b, e, G) with the entropy of q(f). As q(f_n) is proportional to N(f_n | o_n, 1), both
// are Σ_n log P(y_n f_n > ν) but for the variances of eᵀg_n + b:
//   -(Σ_n ⟨(eᵀg_n + b)²⟩ - Σ_n o_n²)/2.
double Inference::bound_of_f() const {
  const double squares = squares_of_e().cwiseProduct(squares_of_G_).sum() +
                         2 * products_of_b_and_e().dot(sum_of_G_) +
                         static_cast<double>(y_.size()) * squares_of_be()[0];
  return log_probability_ - 0.5 * (squares - output_.squaredNorm());
}

}  // namespace m3lak::bemkl_parts
