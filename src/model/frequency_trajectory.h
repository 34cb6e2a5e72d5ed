// One HMC trajectory of frequencies under their Gaussian priors and the hinge.
#pragma once

#include <span>

#include "m3lak/model.h"
#include "model/mixture.h"
#include "model/move.h"
#include "model/state.h"
#include "numeric/archive.h"
#include "numeric/distributions.h"
#include "numeric/hmc.h"

namespace m3lak {

/// The hinge of all instances, Σ max(0, ζ), and the gradient by the frequencies at hand.
struct FrequencyPull {
  double energy = 0;
  double loss = 0;
  Matrix gradient;
};

template <class Kind>
void transfer(Kind& archive, FrequencyPull& pull) {
  archive(pull.energy, pull.loss, pull.gradient);
}

inline void combine(FrequencyPull& into, const FrequencyPull& from) {
  into.energy += from.energy;
  into.loss += from.loss;
  into.gradient += from.gradient;
}

struct FrequencyMemory {
  Matrix omega;  ///< one column a frequency that moves
  Matrix p, q;
  TrajectoryMemory<Matrix> trajectory;
};

struct FrequencyMoved {
  double rise = 0;
  double first_loss = 0, last_loss = 0;
};

/// Momenta of frequencies first, first + 1, … as many as `memory` has.
inline void draw_momenta(const Iteration& iteration, Index first, FrequencyMemory& memory) {
  memory.p.resizeLike(memory.omega);
  for (Index j = 0; j < memory.p.cols(); ++j) {
    Stream stream = iteration.stream(Step::frequency, first + j);
    fill_normal(stream, {memory.p.col(j).data(), static_cast<std::size_t>(memory.p.rows())});
  }
}

inline bool accept(const Iteration& iteration, Index index, double rise, Acceptance& accepted) {
  const double probability = acceptance(rise);
  accepted += {probability, 1};
  return iteration.stream(Step::frequency_acceptance, index).uniform() < probability;
}

/// One trajectory of `memory.omega`, whose momenta are drawn and whose pull at ω is `pull_at(ω)`;
/// it becomes the proposal.
template <class PullAt>
FrequencyMoved trajectory(std::span<const Component* const> priors, const Move& move,
                          FrequencyMemory& memory, const PullAt& pull_at) {
  auto& [omega, p, q, trajectory] = memory;
  FrequencyMoved moved;
  bool at_start = true;
  const auto pull = [&](const Matrix& at) -> const FrequencyPull& {
    const FrequencyPull& now = pull_at(at);
    (at_start ? moved.first_loss : moved.last_loss) = now.loss;
    at_start = false;
    return now;
  };
  const auto each = [&](auto&& work) {
    for (std::size_t j = 0; j < priors.size(); ++j) work(static_cast<Index>(j), *priors[j]);
  };
  const auto kinetic_and_quadratic = [&memory] {
    return 0.5 * (memory.q.squaredNorm() + memory.p.squaredNorm());
  };

  q = omega;
  if (move.hmc == Hmc::preconditioned) {
    // ω_j = μ + L q_j, so that the prior is ½‖q‖².
    each([&](Index j, const Component& prior) {
      q.col(j) -= prior.mean;
      prior.factor.triangularView<Eigen::Lower>().solveInPlace(q.col(j));
    });
    moved.rise = -kinetic_and_quadratic();
    const auto ends = rotate_and_kick(
        q, p, move.step, move.leapfrog, trajectory, [&](const Matrix& whitened, Matrix& gradient) {
          each([&](Index j, const Component& prior) {
            const auto L = prior.factor.triangularView<Eigen::Lower>();
            omega.col(j).noalias() = L * whitened.col(j);
            omega.col(j) += prior.mean;
          });
          const FrequencyPull& now = pull(omega);
          each([&](Index j, const Component& prior) {
            const auto Lt = prior.factor.transpose().triangularView<Eigen::Upper>();
            gradient.col(j).noalias() = Lt * now.gradient.col(j);
          });
          return now.energy;
        });
    moved.rise += ends.last - ends.first + kinetic_and_quadratic();
  } else {
    moved.rise = -0.5 * p.squaredNorm();
    Vector away;
    const auto ends = leapfrog(
        q, p, move.step, move.leapfrog, trajectory, [&](const Matrix& at, Matrix& gradient) {
          const FrequencyPull& now = pull(at);
          gradient = now.gradient;
          double energy = now.energy;
          each([&](Index j, const Component& prior) {
            away = at.col(j) - prior.mean;
            prior.factor.triangularView<Eigen::Lower>().solveInPlace(away);
            energy += 0.5 * away.squaredNorm();
            prior.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(away);
            gradient.col(j) += away;
          });
          return energy;
        });
    moved.rise += ends.last - ends.first + 0.5 * p.squaredNorm();
    omega = q;
  }
  return moved;
}

}  // namespace m3lak
