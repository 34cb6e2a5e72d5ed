#include "model/frequencies.h"

#include <cmath>

#include "model/features.h"
#include "numeric/distributions.h"
#include "numeric/hmc.h"
#include "numeric/sincos.h"

namespace m3lak {

namespace {

/// The hinge of all instances, Σ max(0, ζ), and the gradient by the frequencies at hand.
struct Pull {
  double energy = 0;
  double loss = 0;
  Matrix gradient;
};

void combine(Pull& into, const Pull& from) {
  into.energy += from.energy;
  into.loss += from.loss;
  into.gradient += from.gradient;
}

/// One trajectory of the frequencies `omega` (columns) under their Gaussian priors and the hinge,
/// whose pull at ω is `pull_at(ω)`; `omega` becomes the proposal.
template <class PullAt>
auto trajectory(const std::vector<const Component*>& priors, const Move& move, Matrix p,
                Matrix& omega, const PullAt& pull_at) {
  struct Result {
    Pull first, last;
    double rise = 0;
  } result;
  bool at_start = true;
  const auto pull = [&](const Matrix& at) -> const Pull& {
    Pull now = pull_at(at);
    (at_start ? result.first : result.last) = std::move(now);
    const Pull& kept = at_start ? result.first : result.last;
    at_start = false;
    return kept;
  };
  const auto each = [&](auto&& work) {
    for (std::size_t j = 0; j < priors.size(); ++j) work(static_cast<Index>(j), *priors[j]);
  };
  Matrix q(omega.rows(), omega.cols());
  const auto kinetic_and_quadratic = [&] { return 0.5 * (q.squaredNorm() + p.squaredNorm()); };

  if (move.hmc == Hmc::preconditioned) {
    // ω_j = μ + L q_j, so that the prior is ½‖q‖².
    each([&](Index j, const Component& prior) {
      q.col(j) = prior.factor.triangularView<Eigen::Lower>().solve(omega.col(j) - prior.mean);
    });
    const auto to_omega = [&](const Matrix& whitened) {
      each([&](Index j, const Component& prior) {
        omega.col(j) =
            prior.mean + prior.factor.triangularView<Eigen::Lower>() * whitened.col(j);
      });
    };
    result.rise = -kinetic_and_quadratic();
    const auto ends = rotate_and_kick(
        q, p, move.step, move.leapfrog, [&](const Matrix& whitened, Matrix& gradient) {
          to_omega(whitened);
          const Pull& now = pull(omega);
          each([&](Index j, const Component& prior) {
            gradient.col(j) = prior.factor.transpose().triangularView<Eigen::Upper>() *
                              now.gradient.col(j);
          });
          return now.energy;
        });
    result.rise += ends.last - ends.first + kinetic_and_quadratic();
  } else {
    q = omega;
    result.rise = -0.5 * p.squaredNorm();
    const auto ends =
        leapfrog(q, p, move.step, move.leapfrog, [&](const Matrix& at, Matrix& gradient) {
          const Pull& now = pull(at);
          gradient = now.gradient;
          double energy = now.energy;
          each([&](Index j, const Component& prior) {
            const auto L = prior.factor.triangularView<Eigen::Lower>();
            Vector away = L.solve(at.col(j) - prior.mean);
            energy += 0.5 * away.squaredNorm();
            gradient.col(j) += prior.factor.transpose().triangularView<Eigen::Upper>().solve(away);
          });
          return energy;
        });
    result.rise += ends.last - ends.first + 0.5 * p.squaredNorm();
    omega = q;
  }
  return result;
}

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
    const auto map = [&](const Block& block, Pull& sum) {
      const auto h = state.H.middleCols(block.begin, block.size);
      const auto y = problem.y.middleCols(block.begin, block.size);
      Waves at_h;
      waves(omega, h, at_h);
      const Matrix f = scores(state.beta, at_h);
      Matrix slope;
      sum.energy += hinge_energy(hinge, y, f,
                                 state.inverse_lambda.middleCols(block.begin, block.size), slope)
                        .sum();
      sum.loss += hinge_loss(y, f);
      sum.gradient.noalias() += h * slopes(state.beta, at_h, slope).transpose();
    };
    return reduce_blocks(workers, problem.blocks, Pull{0, 0, Matrix::Zero(m, M)}, map, combine);
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

/// The scores of all instances, kept up to date while one frequency after the other moves.
struct Scores {
  Matrix f;        ///< one row a class
  Matrix without;  ///< f less the frequency that moves
  Matrix waves;    ///< its cos and sin: two rows
};

FrequencySweep move_one_by_one(Workers& workers, const Iteration& iteration,
                               const Problem& problem, const Hinge& hinge, const Move& move,
                               State& state) {
  const Index m = state.omega.rows(), M = state.omega.cols(), N = problem.instances();
  const double root = std::sqrt(static_cast<double>(M));
  Scores now{Matrix(state.beta.cols(), N), Matrix(state.beta.cols(), N), Matrix(N, 2)};
  for_each_block(workers, problem.blocks, [&](const Block& block) {
    Waves at_h;
    waves(state.omega, state.H.middleCols(block.begin, block.size), at_h);
    now.f.middleCols(block.begin, block.size) = scores(state.beta, at_h);
  });

  FrequencySweep sweep;
  for (Index j = 0; j < M; ++j) {
    // This frequency's two weights, one row a class.
    Matrix weights(state.beta.cols(), 2);
    weights.col(0) = state.beta.row(j).transpose() / root;
    weights.col(1) = state.beta.row(M + j).transpose() / root;
    bool at_start = true;
    const auto pull = [&](const Matrix& omega) {
      const auto map = [&](const Block& block, Pull& sum) {
        const auto h = state.H.middleCols(block.begin, block.size);
        const auto y = problem.y.middleCols(block.begin, block.size);
        auto cos = now.waves.col(0).segment(block.begin, block.size);
        auto sin = now.waves.col(1).segment(block.begin, block.size);
        cos.noalias() = h.transpose() * omega;
        sincos({cos.data(), static_cast<std::size_t>(block.size)}, sin.data(), cos.data());
        const auto part = weights.col(0) * cos.transpose() + weights.col(1) * sin.transpose();
        auto without = now.without.middleCols(block.begin, block.size);
        if (at_start) without = now.f.middleCols(block.begin, block.size) - part;
        const Matrix f = without + part;
        Matrix slope;
        sum.energy += hinge_energy(hinge, y, f,
                                   state.inverse_lambda.middleCols(block.begin, block.size), slope)
                          .sum();
        sum.loss += hinge_loss(y, f);
        const Vector turn =
            (slope.transpose() * weights.col(1)).cwiseProduct(cos) -
            (slope.transpose() * weights.col(0)).cwiseProduct(sin);
        sum.gradient.noalias() += h * turn;
      };
      Pull result =
          reduce_blocks(workers, problem.blocks, Pull{0, 0, Matrix::Zero(m, 1)}, map, combine);
      at_start = false;
      return result;
    };
    Matrix omega = state.omega.col(j);
    const auto moved = trajectory({&state.mixture.component_of(j)}, move,
                                  momentum(iteration, j, m), omega, pull);
    const bool accepted = accept(iteration, j, moved.rise, sweep.acceptance);
    sweep.loss = accepted ? moved.last.loss : moved.first.loss;
    if (!accepted) continue;
    state.omega.col(j) = omega;
    now.f = now.without;
    now.f.noalias() += weights * now.waves.transpose();
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
