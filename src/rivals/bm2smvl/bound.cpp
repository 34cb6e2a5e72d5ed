// The bound of the variational engine.
#include <cmath>
#include <numbers>

#include "rivals/bm2smvl/variational.h"

namespace m3lak::bm2smvl_parts {

namespace {

/// All that a Gamma variable t adds to the bound where its posterior has the shape a = prior shape
/// + n/2 and n of the Gaussians in the model have the precision t, but for their squares. E[log t]
/// drops out. With E[t] = a/rate:
///   ½n E[log t] + E[log p(t)] - E[log q(t)] = a log E[t] - (prior rate) E[t] + a constant
double gamma_part(const Bm2smvlOptions::Gamma& prior, double shape, double mean) {
  return shape * std::log(mean) - prior.rate * mean;
}

}  // namespace

double Variational::bound_of_view(std::size_t i) const {
  const View& view = views_[i];
  const auto [first, count] = problem_.views[i];
  const auto N = static_cast<double>(problem_.instances()), D = static_cast<double>(count),
             m = static_cast<double>(latent_);
  // x and τ
  double sum = gamma_part(options_.noise, noise_shape(i), view.noise) -
               view.noise * residual(i) / 2 - N * D * std::log(2 * std::numbers::pi) / 2;
  // W and r
  for (const double r : view.relevance)
    sum += gamma_part(options_.relevance, relevance_shape(i), r);
  sum += -view.relevance.dot(view.second.diagonal()) / 2 + D * (m + view.log_det) / 2;
  // μ
  const double squares = mu_.segment(first, count).squaredNorm() + D * view.mean_variance;
  sum += D * (1 + std::log(options_.mean_precision * view.mean_variance)) / 2 -
         options_.mean_precision * squares / 2;
  return sum;
}

double Variational::bound() const {
  // λ and labels; h
  const auto N = static_cast<double>(problem_.instances()), m = static_cast<double>(latent_);
  double sum = label_bound_ + (latent_log_det_ + N * m - statistics_.second.trace()) / 2;
  for (std::size_t i = 0; i < views_.size(); ++i) sum += bound_of_view(i);
  // η and v
  sum += gamma_part(options_.weight_precision, weight_shape(), v_) - v_ * eta_second_.trace() / 2 +
         (m + 1) / 2 + eta_root_.diagonal().array().log().sum();
  return sum;
}

}  // namespace m3lak::bm2smvl_parts
