// BM2SMVL, Bayesian max-margin subspace multi-view learning: He, Du, Zhuang, Yin, He, Long, IJCAI
// 2016. All views are linear in one latent space, and a linear machine separates the classes there.
//
//   h_n ~ N(0, I)                        x_in ~ N(μ_i + W_i h_n, I/τ_i)
//   column j of W_i ~ N(0, I/r_ij)       r_ij, τ_i, v ~ Gamma,  μ_i ~ N(0, I/β)
//   η = (w, b) ~ N(0, I/v)               loss exp{-2C max(0, 1 - y_n s_n)},  s_n = wᵀh_n + b
//
// Certain is the shared predictive subspace, the margin loss turned into a likelihood by an
// augmentation λ_n, the variational inference, C in {1, 2, 3} and 20 latent dimensions. The form of
// the views and of the priors is likely (the same group's related models have it); the means μ, all
// prior constants, the start and the stopping rule are a reconstruction: of the paper only the
// abstract could be read. The Gibbs sampler of the same model is an addition; it alone can give
// views private factors.
#pragma once

#include <cstdint>
#include <memory>

#include "rivals/rival.h"

namespace m3lak {

struct Bm2smvlOptions {
  enum class Engine { variational, gibbs };

  /// Gamma(shape, rate), of mean shape / rate.
  struct Gamma {
    double shape, rate;
  };

  Engine engine = Engine::variational;

  /// Dimension of h.
  Index latent = 20;

  /// Weight of the loss; 0: to be chosen among 1, 2 and 3.
  double C = 0;

  /// 0: at most 200 of the variational engine, 1000 of the sampler.
  int sweeps = 0;

  /// Of the sampler's last draws so many are averaged.
  int kept = 200;

  /// The variational engine ends when its bound changes by less, as a share of the bound.
  double tolerance = 1e-6;

  Gamma relevance = {0.1, 1e-5};         ///< of r_ij
  Gamma noise = {0.01, 1e-5};            ///< of τ_i
  Gamma weight_precision = {0.1, 1e-5};  ///< of v
  double mean_precision = 1e-3;          ///< β

  /// How many factors V_i u_in each view has for itself, u_in ~ N(0, I); sampler only.
  Index private_factors = 0;
  double private_precision = 1e3;  ///< of the columns of V_i

  std::uint64_t seed = 1;
};

/// Throws BadUsage if an option breaks its rule.
std::unique_ptr<Rival> bm2smvl(Bm2smvlOptions options = {});

}  // namespace m3lak
