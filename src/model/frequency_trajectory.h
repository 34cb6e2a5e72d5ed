// One HMC trajectory of frequencies under their Gaussian priors and the hinge.
#pragma once

#include <utility>
#include <vector>

#include "m3lak/model.h"
#include "model/mixture.h"
#include "model/move.h"
#include "numeric/hmc.h"

namespace m3lak {

/// The hinge of all instances, Σ max(0, ζ), and the gradient by the frequencies at hand.
struct FrequencyPull {
  double energy = 0;
  double loss = 0;
  Matrix gradient;
};

inline void combine(FrequencyPull& into, const FrequencyPull& from) {
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
    FrequencyPull first, last;
    double rise = 0;
  } result;
  bool at_start = true;
  const auto pull = [&](const Matrix& at) -> const FrequencyPull& {
    FrequencyPull now = pull_at(at);
    (at_start ? result.first : result.last) = std::move(now);
    const FrequencyPull& kept = at_start ? result.first : result.last;
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
        omega.col(j) = prior.mean + prior.factor.triangularView<Eigen::Lower>() * whitened.col(j);
      });
    };
    result.rise = -kinetic_and_quadratic();
    const auto ends = rotate_and_kick(
        q, p, move.step, move.leapfrog, [&](const Matrix& whitened, Matrix& gradient) {
          to_omega(whitened);
          const FrequencyPull& now = pull(omega);
          each([&](Index j, const Component& prior) {
            gradient.col(j) =
                prior.factor.transpose().triangularView<Eigen::Upper>() * now.gradient.col(j);
          });
          return now.energy;
        });
    result.rise += ends.last - ends.first + kinetic_and_quadratic();
  } else {
    q = omega;
    result.rise = -0.5 * p.squaredNorm();
    const auto ends =
        leapfrog(q, p, move.step, move.leapfrog, [&](const Matrix& at, Matrix& gradient) {
          const FrequencyPull& now = pull(at);
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

}  // namespace m3lak
