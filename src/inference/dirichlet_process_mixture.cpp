#include <fmt/format.h>

#include <cmath>

#include "inference/mixture_density.h"
#include "inference/mixture_options.h"
#include "inference/mixture_start.h"
#include "m3lak/error.h"
#include "m3lak/mixture.h"
#include "model/mixture.h"

namespace m3lak {

namespace {

using ManyPoints = DirichletProcessMixture::Points;

/// The same memory, one column a point.
Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> columns(const ManyPoints& points) {
  return {points.data(), points.cols(), points.rows(), Eigen::OuterStride<>(points.outerStride())};
}

void check_values(Workers& workers, const Points& points) {
  constexpr double most = 1e100;
  for_each_block(workers, blocks_of(points), [&](Block block) {
    for (Index n = block.begin; n < block.end(); ++n) {
      for (Index j = 0; j < points.rows(); ++j) {
        if (std::abs(points(j, n)) <= most) continue;
        throw BadData(fmt::format("points: row {}, column {} is {}: must be finite, and {} at most",
                                  n + 1, j + 1, points(j, n), most));
      }
    }
  });
}

MixtureDraw draw_of(const Mixture& mixture) {
  MixtureDraw draw{{}, std::exp(mixture.log_rest), mixture.concentration};
  for (const Component& component : mixture.components) {
    draw.components.push_back({std::exp(component.log_weight), component.mean, component.factor});
  }
  return draw;
}

}  // namespace

DirichletProcessMixture::DirichletProcessMixture(MixtureOptions options)
    : given_(std::move(options)), options_(given_) {
  given_.check();
}

DirichletProcessMixture::DirichletProcessMixture(MixtureOptions options,
                                                 std::vector<MixtureDraw> draws)
    : DirichletProcessMixture(std::move(options)) {
  draws_ = std::move(draws);
  if (!draws_.empty()) {
    options_ = settle(options_, {0, options_.mean, options_.scale});
    check_draws(draws_, options_.mean.size());
  }
}

void DirichletProcessMixture::fit(const ManyPoints& rows, const MixtureCallbacks& callbacks) {
  if (rows.size() == 0) {
    throw BadData(
        fmt::format("points of {} rows and {} columns: there must be one of each at least",
                    rows.rows(), rows.cols()));
  }
  const Points points = columns(rows);
  Workers workers(given_.threads);
  check_values(workers, points);
  const MixtureOptions options = settle(given_, moments_of(workers, points));
  const NormalInverseWishart base = base_measure(options);
  const ConcentrationPrior prior{options.sample_concentration, options.concentration_shape,
                                 options.concentration_rate};
  Iteration iteration{options.seed, 0, 0};
  Mixture mixture =
      start_mixture(workers, options.seed, points, base, prior, options.concentration);
  std::vector<MixtureDraw> draws;
  std::vector<int> counts;
  bool stopped = false;
  for (int i = 1; i <= options.iterations && !stopped; ++i) {
    ++iteration.number;
    draw_mixture(workers, iteration, points, base, prior, mixture,
                 2 * i <= options.burn_in ? reshape_of(iteration.number, 8) : Reshape::none);
    counts.push_back(static_cast<int>(mixture.components.size()));
    const int kept = i - options.burn_in;
    if (kept > 0 && kept % options.thin == 0) draws.push_back(draw_of(mixture));
    if (callbacks.progress) callbacks.progress(i, counts.back());
    stopped = callbacks.stop && i < options.iterations && callbacks.stop();
  }
  if (draws.empty()) throw Stopped("the fit of the mixture was stopped before a draw was kept");
  options_ = options;
  draws_ = std::move(draws);
  component_counts_ = std::move(counts);
  stopped_early_ = stopped;
}

const MixtureDraw& DirichletProcessMixture::last() const {
  if (draws_.empty()) throw BadUsage("the mixture has no draws: call fit first");
  return draws_.back();
}

void DirichletProcessMixture::check_columns(const ManyPoints& points) const {
  const Index columns = last().components.front().mean.size();
  if (points.cols() == columns) return;
  throw BadData(
      fmt::format("points of {} columns: the mixture was fitted to {}", points.cols(), columns));
}

std::vector<int> DirichletProcessMixture::assign(const ManyPoints& points) const {
  check_columns(points);
  Workers workers(options_.threads);
  return most_probable(workers, last(), columns(points));
}

DenseMatrix DirichletProcessMixture::probability(const ManyPoints& points) const {
  check_columns(points);
  Workers workers(options_.threads);
  return probabilities(workers, last(), columns(points));
}

Vector DirichletProcessMixture::log_density(const ManyPoints& points) const {
  check_columns(points);
  Workers workers(options_.threads);
  return log_densities(workers, draws_, base_measure(options_), columns(points));
}

}  // namespace m3lak
