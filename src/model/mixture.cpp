#include "model/mixture.h"

#include <algorithm>
#include <cmath>

#include "model/assignment.h"
#include "model/split_merge.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

namespace {

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

/// Drops components without points; the others are numbered anew, in their order. Returns the
/// moments of their points.
std::vector<PointMoments> drop_empty(Workers& workers, const PointSums& sums, Mixture& mixture) {
  std::vector<int> number(mixture.components.size(), -1);
  std::vector<Component> occupied;
  std::vector<PointMoments> moments;
  bool same = true;  // are the numbers of those that stay
  for (std::size_t k = 0; k < number.size(); ++k) {
    const auto column = static_cast<Index>(k);
    if (sums.counts[column] == 0) continue;
    number[k] = static_cast<int>(occupied.size());
    same = same && occupied.size() == k;
    moments.push_back(sums.moments(column, mixture.components[k].mean));
    occupied.push_back(std::move(mixture.components[k]));
  }
  mixture.components = std::move(occupied);
  if (!same) renumber(workers, number, mixture);
  return moments;
}

/// (4) ζ_k from its posterior.
void draw_components(Stream& stream, const std::vector<PointMoments>& moments,
                     const NormalInverseWishart& base, Mixture& mixture) {
  mixture.components.clear();
  for (const PointMoments& points : moments) {
    mixture.components.push_back(draw_component(stream, posterior(base, points)));
  }
}

/// (5) (ϖ, ϖ*) ~ Dirichlet(s_1 … s_K, α).
void draw_weights(Stream& stream, const std::vector<PointMoments>& moments, Mixture& mixture) {
  const Index K = std::ssize(moments);
  Vector shapes(K + 1);
  for (Index k = 0; k < K; ++k) shapes[k] = moments[static_cast<std::size_t>(k)].count;
  shapes[K] = mixture.concentration;
  const Vector log_weights = log_dirichlet(stream, shapes);
  for (Index k = 0; k < K; ++k) {
    mixture.components[static_cast<std::size_t>(k)].log_weight = log_weights[k];
  }
  mixture.log_rest = log_weights[K];
}

}  // namespace

void draw_mixture(Workers& workers, const Iteration& iteration, const Points& points,
                  const NormalInverseWishart& base, const ConcentrationPrior& prior,
                  Mixture& mixture, Reshape reshape) {
  Stream stream = iteration.stream(Step::mixture);
  break_sticks(stream, log_least_slice(workers, iteration, mixture), base, mixture);
  const PointSums sums = draw_assignments(workers, iteration, points, mixture);
  std::vector<PointMoments> moments = drop_empty(workers, sums, mixture);
  if (reshape == Reshape::merge) {
    merge_components(workers, iteration, points, base, mixture, moments);
  } else if (reshape == Reshape::split) {
    split_components(workers, iteration, points, base, mixture, moments);
  }
  if (prior.sampled) {
    mixture.concentration = draw_concentration(stream, mixture.concentration, std::ssize(moments),
                                               points.cols(), prior);
  }
  draw_components(stream, moments, base, mixture);
  draw_weights(stream, moments, mixture);
}

Mixture one_component(Workers& workers, const Iteration& iteration, const Points& points,
                      const NormalInverseWishart& base, double concentration) {
  Mixture mixture;
  mixture.concentration = concentration;
  mixture.of.assign(static_cast<std::size_t>(points.cols()), 0);
  const std::vector<PointMoments> moments = {moments_of(workers, points)};
  Stream stream = iteration.stream(Step::mixture);
  draw_components(stream, moments, base, mixture);
  draw_weights(stream, moments, mixture);
  return mixture;
}

}  // namespace m3lak
