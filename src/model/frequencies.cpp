#include "model/frequencies.h"

#include <cmath>

#include "model/features.h"
#include "model/frequency_trajectory.h"
#include "numeric/distributions.h"
#include "numeric/hmc.h"
#include "numeric/sincos.h"

namespace m3lak {

namespace {

Matrix momentum(const Iteration& iteration, Index frequency, Index latent) {
  Matrix p(latent, 1);
  Stream stream = iteration.stream(Step::frequency, frequency);
  fill_normal(stream, {p.data(), static_cast<std::size_t>(latent)});
  return p;
}

bool accept(const Iteration& iteration, Index index, double rise, Acceptance& accepted) {
  const double probability = acceptance(rise);
  accepted += {probability, 1};
  return iteration.stream(Step::frequency_acceptance, index).uniform() < probability;
}

FrequencySweep move_together(Workers& workers, const Iteration& iteration, const Problem& problem,
                             const Hinge& hinge, const Move& move, State& state) {
  const Index m = state.omega.rows(), M = state.omega.cols();
  const auto pull = [&](const Matrix& omega) {
    const auto map = [&](const Block& block, FrequencyPull& sum) {
      const auto h = state.H.middleCols(block.begin, block.size);
      const auto y = problem.y.middleCols(block.begin, block.size);
      Waves at_h;
      waves(omega, h, at_h);
      const Matrix f = scores(state.beta, at_h);
      Matrix slope;
      sum.energy +=
          hinge_energy(hinge, y, f, state.inverse_lambda.middleCols(block.begin, block.size), slope)
              .sum();
      sum.loss += hinge_loss(y, f);
      sum.gradient.noalias() += h * slopes(state.beta, at_h, slope).transpose();
    };
    return reduce_blocks(workers, problem.blocks, FrequencyPull{0, 0, Matrix::Zero(m, M)}, map,
                         combine);
  };

  Matrix p(m, M);
  std::vector<const Component*> priors;
  for (Index j = 0; j < M; ++j) {
    p.col(j) = momentum(iteration, j, m);
    priors.push_back(&state.mixture.component_of(j));
  }
  Matrix omega = state.omega;
  const auto moved = trajectory(priors, move, p, omega, pull);
  FrequencySweep sweep;
  const bool accepted = accept(iteration, 0, moved.rise, sweep.acceptance);
  if (accepted) state.omega = omega;
  sweep.loss = accepted ? moved.last.loss : moved.first.loss;
  return sweep;
}

constexpr Index work_worth_sharing = 100'000;

/// The scores of all instances while one frequency after the other moves. One column a class.
class ScoresOfOne {
 public:
  ScoresOfOne(Workers& workers, const Problem& problem, const Hinge& hinge, const State& state)
      : problem_(problem),
        hinge_(hinge),
        state_(state),
        f_(problem.instances(), state.beta.cols()),
        without_(f_.rows(), f_.cols()),
        cos_(f_.rows()),
        sin_(f_.rows()) {
    for_each_block(workers, problem.blocks, [&](const Block& block) {
      Waves at_h;
      waves(state.omega, state.H.middleCols(block.begin, block.size), at_h);
      f_.middleRows(block.begin, block.size) = scores(state.beta, at_h).transpose();
    });
  }

  /// From now on, frequency j moves; `pull` at its present place comes first.
  void begin(Index j) {
    const Index M = state_.omega.cols();
    const double root = std::sqrt(static_cast<double>(M));
    cos_weights_ = state_.beta.row(j) / root;
    sin_weights_ = state_.beta.row(M + j) / root;
    at_start_ = true;
  }

  FrequencyPull pull(Workers& workers, const Matrix& omega) {
    const auto map = [&](const Block& block, FrequencyPull& sum) { add_pull(block, omega, sum); };
    const FrequencyPull zero{0, 0, Matrix::Zero(omega.rows(), 1)};
    FrequencyPull result = reduce_blocks(workers, problem_.blocks, zero, map, combine);
    at_start_ = false;
    return result;
  }

  /// The frequency stays where `pull` was asked last.
  void accept() {
    for (Index c = 0; c < f_.cols(); ++c) {
      f_.col(c) = without_.col(c) + cos_weights_[c] * cos_ + sin_weights_[c] * sin_;
    }
  }

 private:
  void add_pull(const Block& block, const Matrix& omega, FrequencyPull& sum) {
    const auto h = state_.H.middleCols(block.begin, block.size);
    auto cos = cos_.segment(block.begin, block.size);
    auto sin = sin_.segment(block.begin, block.size);
    cos.noalias() = h.transpose() * omega;
    sincos({cos.data(), static_cast<std::size_t>(block.size)}, sin.data(), cos.data());
    Vector turn = Vector::Zero(block.size);
    for (Index c = 0; c < f_.cols(); ++c) {
      const double with_cos = cos_weights_[c], with_sin = sin_weights_[c];
      auto without = without_.col(c).segment(block.begin, block.size);
      if (at_start_) {
        without = f_.col(c).segment(block.begin, block.size) - with_cos * cos - with_sin * sin;
      }
      for (Index i = 0; i < block.size; ++i) {
        const Index n = block.begin + i;
        const double y = problem_.y(c, n);
        if (y == 0) continue;
        const double x = state_.inverse_lambda(c, n);
        const double f = without[i] + with_cos * cos[i] + with_sin * sin[i];
        sum.energy += hinge_.energy(y, f, x);
        sum.loss += std::max(0.0, 1 - y * f);
        turn[i] += hinge_.slope(y, f, x) * (with_sin * cos[i] - with_cos * sin[i]);
      }
    }
    sum.gradient.noalias() += h * turn;
  }

  const Problem& problem_;
  const Hinge& hinge_;
  const State& state_;
  Matrix f_;        // one column a class
  Matrix without_;  // f less the frequency that moves
  Vector cos_, sin_;
  Eigen::RowVectorXd cos_weights_, sin_weights_;
  bool at_start_ = true;
};

FrequencySweep move_one_by_one(Workers& workers, const Iteration& iteration, const Problem& problem,
                               const Hinge& hinge, const Move& move, State& state) {
  const Index m = state.omega.rows();
  // The work between two synchronisations is small here: alone, one thread is often quicker.
  Workers alone(1);
  const bool shared = problem.instances() * (m + state.beta.cols()) >= work_worth_sharing;
  Workers& crew = shared ? workers : alone;
  ScoresOfOne now(workers, problem, hinge, state);
  FrequencySweep sweep;
  for (Index j = 0; j < state.omega.cols(); ++j) {
    now.begin(j);
    Matrix omega = state.omega.col(j);
    const auto moved = trajectory({&state.mixture.component_of(j)}, move, momentum(iteration, j, m),
                                  omega, [&](const Matrix& at) { return now.pull(crew, at); });
    const bool accepted = accept(iteration, j, moved.rise, sweep.acceptance);
    sweep.loss = accepted ? moved.last.loss : moved.first.loss;
    if (!accepted) continue;
    state.omega.col(j) = omega;
    now.accept();
  }
  return sweep;
}

}  // namespace

FrequencySweep move_frequencies(Workers& workers, const Iteration& iteration,
                                const Problem& problem, const Hinge& hinge, Sweep sweep,
                                const Move& move, State& state) {
  const auto moved = sweep == Sweep::together ? move_together : move_one_by_one;
  return moved(workers, iteration, problem, hinge, move, state);
}

}  // namespace m3lak
