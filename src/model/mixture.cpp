#include "model/mixture.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "numeric/distributions.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

namespace {

Matrix points_of(const Matrix& points, const Mixture& mixture, int component) {
  std::vector<Index> members;
  for (std::size_t j = 0; j < mixture.of.size(); ++j) {
    if (mixture.of[j] == component) members.push_back(static_cast<Index>(j));
  }
  return points(Eigen::all, members);
}

/// (1) log t_j with t_j ~ U(0, ϖ_{z_j}).
std::vector<double> draw_slices(Stream& stream, const Mixture& mixture) {
  std::vector<double> log_slices;
  for (const int z : mixture.of) {
    const double log_weight = mixture.components[static_cast<std::size_t>(z)].log_weight;
    log_slices.push_back(log_weight + std::log(stream.uniform()));
  }
  return log_slices;
}

/// (2) Sticks are broken off the rest, ϖ_new ~ Beta(1, α) of it, until it is below all slices.
void break_sticks(Stream& stream, double log_least_slice, const NormalInverseWishart& base,
                  Mixture& mixture) {
  while (mixture.log_rest >= log_least_slice) {
    // 1 - Beta(1, α) = U^{1/α}.
    const double log_left = std::log(stream.uniform()) / mixture.concentration;
    Component fresh = draw_component(stream, base);
    fresh.log_weight = mixture.log_rest + std::log(-std::expm1(log_left));
    mixture.log_rest += log_left;
    mixture.components.push_back(std::move(fresh));
  }
}

/// (3) z_j over the components whose weight exceeds the slice.
void draw_assignments(Stream& stream, const Matrix& points, const std::vector<double>& log_slices,
                      Mixture& mixture) {
  std::vector<double> log_weights(mixture.components.size());
  for (std::size_t j = 0; j < mixture.of.size(); ++j) {
    for (std::size_t k = 0; k < log_weights.size(); ++k) {
      const Component& component = mixture.components[k];
      log_weights[k] = component.log_weight >= log_slices[j]
                           ? component.log_density(points.col(static_cast<Index>(j)))
                           : -std::numeric_limits<double>::infinity();
    }
    mixture.of[j] = static_cast<int>(categorical(stream, log_weights));
  }
}

/// Drops components without points; the others are numbered anew, in their order.
void drop_empty(Mixture& mixture) {
  std::vector<int> number(mixture.components.size(), -1);
  for (const int z : mixture.of) number[static_cast<std::size_t>(z)] = 0;
  std::vector<Component> occupied;
  for (std::size_t k = 0; k < number.size(); ++k) {
    if (number[k] < 0) continue;
    number[k] = static_cast<int>(occupied.size());
    occupied.push_back(std::move(mixture.components[k]));
  }
  mixture.components = std::move(occupied);
  for (int& z : mixture.of) z = number[static_cast<std::size_t>(z)];
}

/// (4) ζ_k from its posterior.
void draw_components(Stream& stream, const Matrix& points, const NormalInverseWishart& base,
                     Mixture& mixture) {
  for (std::size_t k = 0; k < mixture.components.size(); ++k) {
    const Matrix members = points_of(points, mixture, static_cast<int>(k));
    mixture.components[k] = draw_component(stream, posterior(base, members));
  }
}

/// (5) (ϖ, ϖ*) ~ Dirichlet(s_1 … s_K, α).
void draw_weights(Stream& stream, Mixture& mixture) {
  Vector shapes = Vector::Zero(std::ssize(mixture.components) + 1);
  for (const int z : mixture.of) shapes[z] += 1;
  shapes[shapes.size() - 1] = mixture.concentration;
  const Vector log_weights = log_dirichlet(stream, shapes);
  for (std::size_t k = 0; k < mixture.components.size(); ++k) {
    mixture.components[k].log_weight = log_weights[static_cast<Index>(k)];
  }
  mixture.log_rest = log_weights[shapes.size() - 1];
}

}  // namespace

double Component::log_density(const Eigen::Ref<const Vector>& point) const {
  const Vector whitened = factor.triangularView<Eigen::Lower>().solve(Vector(point - mean));
  return -0.5 * whitened.squaredNorm() - factor.diagonal().array().log().sum() -
         0.5 * static_cast<double>(point.size()) * std::log(2 * std::numbers::pi);
}

Component draw_component(Stream& stream, const NormalInverseWishart& base) {
  Component component;
  const Matrix scale_factor = base.scale.llt().matrixL();
  component.factor = inverse_wishart(stream, base.dof, scale_factor);
  Vector g(base.mean.size());
  fill_normal(stream, {g.data(), static_cast<std::size_t>(g.size())});
  component.mean = base.mean + component.factor * g / std::sqrt(base.strength);
  return component;
}

// κ' = κ_0 + s, ν' = ν_0 + s, μ' = (κ_0 μ_0 + s ω̄)/κ',
// Ψ' = Ψ_0 + S + (κ_0 s/κ')(ω̄ - μ_0)(ω̄ - μ_0)ᵀ
NormalInverseWishart posterior(const NormalInverseWishart& base, const Matrix& points) {
  const auto count = static_cast<double>(points.cols());
  if (points.cols() == 0) return base;
  const Vector centre = points.rowwise().mean();
  const Matrix spread = points.colwise() - centre;
  const Vector shift = centre - base.mean;
  NormalInverseWishart result = base;
  result.strength += count;
  result.dof += count;
  result.mean += count / result.strength * shift;
  result.scale += spread * spread.transpose() +
                  base.strength * count / result.strength * shift * shift.transpose();
  return result;
}

void draw_mixture(Stream& stream, const Matrix& points, const NormalInverseWishart& base,
                  const ConcentrationPrior& prior, Mixture& mixture) {
  const std::vector<double> log_slices = draw_slices(stream, mixture);
  break_sticks(stream, *std::ranges::min_element(log_slices), base, mixture);
  draw_assignments(stream, points, log_slices, mixture);
  drop_empty(mixture);
  if (prior.sampled) {
    mixture.concentration = draw_concentration(
        stream, mixture.concentration, std::ssize(mixture.components), points.cols(), prior);
  }
  draw_components(stream, points, base, mixture);
  draw_weights(stream, mixture);
}

Mixture one_component(Stream& stream, const Matrix& points, const NormalInverseWishart& base,
                      double concentration) {
  Mixture mixture;
  mixture.concentration = concentration;
  mixture.of.assign(static_cast<std::size_t>(points.cols()), 0);
  mixture.components.resize(1);
  draw_components(stream, points, base, mixture);
  draw_weights(stream, mixture);
  return mixture;
}

}  // namespace m3lak
