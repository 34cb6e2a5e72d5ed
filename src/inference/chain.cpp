#include "inference/chain.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "inference/start.h"
#include "m3lak/error.h"
#include "model/base_measure.h"
#include "model/noise.h"
#include "model/projection.h"
#include "model/relevance.h"
#include "model/weight_precision.h"
#include "model/wide.h"
#include "numeric/distributions.h"

namespace m3lak {

namespace {

/// Bytes. Beyond that, the weights are drawn given λ alone: passes over so much memory take longer
/// than all else.
constexpr double most_weight_moves_memory = 256.0 * 1024 * 1024;

double cells(const Problem& problem, std::size_t view) {
  return static_cast<double>(problem.present[view]) * static_cast<double>(problem.features[view]);
}

}  // namespace

Chain::Chain(const Problem& problem, const Options& options, Workers& workers, int number)
    : problem_(problem),
      options_(options),
      workers_(workers),
      iteration_{options.seed, static_cast<std::uint32_t>(number), 0},
      local_step_(local_step(workers, problem, options)),
      draw_weights_(weight_draws(workers, problem, options)),
      draw_linear_(linear_draws(workers, problem, options)),
      move_frequencies_(frequency_moves(workers, problem,
                                        {options.C, options.integrate_augmentation}, options.sweep,
                                        options.precision)),
      latent_step_(0.3, options.target_acceptance),
      weight_step_(0.1, options.target_acceptance),
      frequency_step_(0.1, options.target_acceptance) {
  if (options.weight_leapfrog > 0 && options.integrate_augmentation &&
      weight_moves_memory(problem, options) <= most_weight_moves_memory) {
    move_weights_ = weight_moves(workers, problem, options);
  }
  start();
}

void Chain::start() {
  const Index N = problem_.instances(), m = options_.latent, K = options_.private_latent;
  const Index M = options_.features, classes = problem_.y.rows();
  state_.H = starting_latents(workers_, problem_, options_, iteration_);
  state_.U.assign(problem_.views.size(), Matrix::Zero(K, N));
  state_.fill = problem_.gaps;
  state_.inverse_lambda = Matrix::Zero(classes, N);
  for (std::size_t i = 0; i < problem_.views.size(); ++i) {
    ViewState& view = state_.views.emplace_back();
    const double variance = problem_.squared_norms[i] / std::max(1.0, cells(problem_, i));
    view.noise = variance > 0 ? 2 / variance : 1;
    view.relevance = Vector::Constant(m, variance > 0 ? 1 / variance : 1);
  }
  draw_views(local_step_->collect(state_));

  base_ = base_measure(options_, state_.views);
  Stream stream = iteration_.stream(Step::frequency);
  state_.omega.resize(m, M);
  fill_normal(stream, {state_.omega.data(), static_cast<std::size_t>(state_.omega.size())});
  state_.omega = starting_covariance(options_, base_).llt().matrixL() * state_.omega;
  state_.mixture = one_component(alone_, iteration_, state_.omega, base_, options_.concentration);

  state_.weight_precision = options_.weight_precision;
  state_.beta = Matrix::Zero(2 * M + 1, classes);
  state_.gamma = Matrix::Zero(problem_.coordinates.cols(), classes);
  state_.linear = Matrix::Zero(classes, N);
  (*draw_weights_)(iteration_, state_);
  (*draw_linear_)(iteration_, state_);
}

Move Chain::move(const DualAveraging& step, int leapfrog) const {
  switch (options_.hmc) {
    case Hmc::authors:
      return {options_.hmc, 1 / (static_cast<double>(iteration_.number) + 100), leapfrog};
    case Hmc::plain:
      return {options_.hmc, step.step(), leapfrog};
    case Hmc::preconditioned:
      break;
  }
  // A quarter turn forgets the start; more would turn back.
  const double quarter = std::numbers::pi / (2 * leapfrog);
  return {options_.hmc, std::min(step.step(), quarter), leapfrog};
}

void Chain::adapt(DualAveraging& step, const Acceptance& acceptance) const {
  if (acceptance.moves == 0 || !burning_in()) return;
  step.update(acceptance.mean());
  if (iteration_.number == static_cast<std::uint64_t>(options_.burn_in)) step.freeze();
}

TraceRow Chain::iterate() {
  ++iteration_.number;
  TraceRow row;
  row.chain = static_cast<int>(iteration_.chain);
  row.iteration = static_cast<int>(iteration_.number);

  const Move latent_move = move(latent_step_, options_.latent_leapfrog);
  const LocalSums& local = (*local_step_)(iteration_, latent_move, state_);
  latent_squares_ = local.squares;
  row.latent_step = latent_move.step;
  row.latent_acceptance = local.acceptance.mean();
  adapt(latent_step_, local.acceptance);

  draw_views(local.statistics);
  draw_classifier();
  draw_kernel(row);

  if (!std::isfinite(row.log_joint)) {
    throw BadData(fmt::format(
        "iteration {}: numbers ran out of range: values are too large to be squared, or priors too "
        "extreme; scale the data (scaling = standardize)",
        iteration_.number));
  }
  row.components = static_cast<int>(state_.mixture.components.size());
  row.weight_norm = state_.beta.norm();
  row.kernel_scale = state_.omega.colwise().squaredNorm().mean();
  row.noise.resize(std::ssize(state_.views));
  for (std::size_t i = 0; i < state_.views.size(); ++i) {
    row.noise[static_cast<Index>(i)] = state_.views[i].noise;
  }
  return row;
}

void Chain::draw_views(const Statistics& statistics) {
  squared_residuals_.resize(state_.views.size());
  for (std::size_t i = 0; i < state_.views.size(); ++i) {
    const auto index = static_cast<Index>(i);
    ViewState& view = state_.views[i];
    draw_projection(workers_, iteration_, index, problem_.features[i], statistics.views[i],
                    options_.private_precision, view);
    draw_relevance(iteration_.stream(Step::relevance, index), options_, problem_.features[i], view);
    squared_residuals_[i] = squared_residual(view, statistics.views[i], problem_.squared_norms[i]);
    draw_noise(iteration_.stream(Step::noise, index), options_, cells(problem_, i),
               squared_residuals_[i], view);
  }
}

void Chain::draw_classifier() {
  (*draw_weights_)(iteration_, state_);
  (*draw_linear_)(iteration_, state_);
  if (move_weights_) {
    // Early, so that the step is adapted to the last metric.
    const auto now = static_cast<int>(iteration_.number), all = options_.burn_in;
    if (now == 1 || now == all / 4 || now == all / 2) {
      if (burning_in()) move_weights_->aim(state_);
    }
    const Move move{options_.hmc, weight_step_.step(), options_.weight_leapfrog};
    adapt(weight_step_, (*move_weights_)(iteration_, move, state_));
  }
  draw_weight_precision(iteration_.stream(Step::weight_precision), options_, state_);
}

void Chain::draw_kernel(TraceRow& row) {
  const Move frequency_move = move(frequency_step_, options_.frequency_leapfrog);
  const FrequencySweep sweep = (*move_frequencies_)(iteration_, frequency_move, state_);
  row.frequency_step = frequency_move.step;
  row.frequency_acceptance = sweep.acceptance.mean();
  adapt(frequency_step_, sweep.acceptance);

  if (options_.base == Base::reconstruction && burning_in()) {
    base_ = base_measure(options_, state_.views);
  }
  draw_mixture(
      alone_, iteration_, state_.omega, base_,
      {options_.sample_concentration, options_.concentration_shape, options_.concentration_rate},
      state_.mixture);
  row.log_joint = log_joint(sweep.loss);
}

// The prior of the mixture's own parameters is left out: their number changes.
double Chain::log_joint(double hinge_loss) const {
  double sum = -0.5 * latent_squares_ - 2 * options_.C * hinge_loss;
  for (std::size_t i = 0; i < state_.views.size(); ++i) {
    const ViewState& view = state_.views[i];
    const Index m = view.relevance.size();
    const auto features = static_cast<double>(problem_.features[i]);
    sum += (options_.noise_shape - 1 + 0.5 * cells(problem_, i)) * std::log(view.noise) -
           view.noise * (options_.noise_rate + 0.5 * squared_residuals_[i]);
    sum -= 0.5 * options_.private_precision * view.gram.diagonal().tail(view.gram.rows() - m).sum();
    for (Index j = 0; j < m; ++j) {
      const double r = view.relevance[j];
      sum += (options_.relevance_shape - 1 + 0.5 * features) * std::log(r) -
             r * (options_.relevance_rate + 0.5 * view.gram(j, j));
    }
  }
  for (Index j = 0; j < state_.omega.cols(); ++j) {
    sum += state_.mixture.component_of(j).log_density(state_.omega.col(j));
  }
  const double v = state_.weight_precision;
  const auto weights = static_cast<double>(state_.beta.size() + state_.gamma.size());
  sum +=
      0.5 * weights * std::log(v) -
      0.5 * v * (state_.beta.squaredNorm() + state_.gamma.squaredNorm() / options_.linear_variance);
  if (options_.sample_weight_precision) {
    sum += (options_.weight_shape - 1) * std::log(v) - options_.weight_rate * v;
  }
  return sum;
}

Draw Chain::draw() const {
  Draw draw;
  for (std::size_t i = 0; i < state_.views.size(); ++i) {
    const ViewState& view = state_.views[i];
    draw.views.push_back({view.projection, view.relevance, view.noise});
    if (problem_.turns[i].size() == 0) continue;
    Stream stream = iteration_.stream(Step::unseen_directions, static_cast<Index>(i), 1);
    draw.views.back().projection =
        turn_back(stream, problem_.turns[i], view.projection, view.unseen);
  }
  draw.frequencies = state_.omega;
  draw.weights = state_.beta;
  draw.linear_weights = state_.gamma;
  draw.weight_precision = state_.weight_precision;
  draw.concentration = state_.mixture.concentration;
  for (const Component& component : state_.mixture.components) {
    draw.components.push_back({std::exp(component.log_weight), component.mean, component.factor});
  }
  draw.component_of = state_.mixture.of;
  return draw;
}

}  // namespace m3lak
