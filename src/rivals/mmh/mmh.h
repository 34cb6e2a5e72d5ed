// The max-margin harmonium: one undirected latent space of all views, and a linear machine in it.
//
// N. Chen, J. Zhu, F. Sun, E. P. Xing: Large-margin predictive latent subspace learning for
// multiview data analysis. IEEE PAMI 34 (2012); first at NIPS 2010.
//
// What is certain: a latent subspace Markov network in which views and label are independent given
// the latent variables, trained for the likelihood of the views and a large margin together, by
// contrastive divergence. The distribution of each wing, the form of the objective and the
// alternation are likely; step sizes, schedule, projection, start and grid are a reconstruction.
//
// A view whose known values are all 0 or 1 is a Bernoulli wing, any other a Gaussian wing of
// standardised features: of log(1 + x), if all are counts 0, 1, 2, … (with a Gaussian latent space,
// Poisson counts have no density).
#pragma once

#include <cstdint>
#include <memory>

#include "rivals/rival.h"

namespace m3lak {

struct MmhOptions {
  /// Dimension m of the latent space.
  Index latent = 20;

  /// How often the machine and the harmonium take turns, at most; it ends early when the objective
  /// stands still.
  int rounds = 30;

  /// How often the harmonium sees all instances in one round.
  int inner = 2;

  /// Instances that one step of the harmonium looks at.
  Index batch = 50;

  /// Share of the last step that is taken once more.
  double momentum = 0.5;

  /// Step size. Too large, singular values of Gaussian wings hit their bound and stay there.
  double rate = 0.005;

  /// Shrinks the couplings (not the offsets), in units of the mean log likelihood's gradient.
  double weight_decay = 1e-4;

  /// Weight of ‖v‖²/2.
  double C1 = 1;

  /// Weight of the hinge losses. 0: 0.01, 0.1, 1, 10 and 100 are the settings to choose among.
  double C2 = 0;

  /// Of the noise, the order of instances, and the start where the data leaves it open.
  std::uint64_t seed = 1;

  /// Throws BadUsage that names the field, its value and the rule it broke.
  void check() const;
};

/// Throws BadUsage if the options break their rules.
std::unique_ptr<Rival> mmh(MmhOptions options = {});

}  // namespace m3lak
