// What the views of an instance say about its h: a Gaussian, with one precision for all instances
// that have the same views.
#pragma once

#include "m3lak/model.h"

namespace m3lak {

/// Of one view, from [W V]ᵀ[W V] and τ. With u integrated out,
///   precision = Wᵀ Ψ^{-1} W and reading · [W V]ᵀ x = Wᵀ Ψ^{-1} x,
/// where Ψ = V Vᵀ + I/τ; given u, the same with Ψ = I/τ, and x less V u.
struct Evidence {
  Matrix precision;       ///< m × m
  Matrix reading;         ///< m × (m + K)
  Matrix cross;           ///< VᵀW
  Matrix private_factor;  ///< lower Cholesky factor of S^{-1} = I + τ VᵀV
  double noise = 0;
};

Evidence evidence(const Matrix& gram, double noise, Index latent, bool integrate_private);

}  // namespace m3lak
