// Random Fourier features of a block of h, and how scores depend on them.
//
// φ(h) = M^{-1/2} (cos ω_1·h … cos ω_M·h, sin ω_1·h … sin ω_M·h), f = β·(φ, 1).
#pragma once

#include "m3lak/model.h"

namespace m3lak {

/// cos(ω_j·h_n) and sin(ω_j·h_n): one row a frequency, one column an instance.
struct Waves {
  Matrix cos, sin;
};
void waves(const Matrix& omega, const Eigen::Ref<const Matrix>& h, Waves& out);

/// f: one row a class, one column an instance.
Matrix scores(const Matrix& beta, const Waves& waves);

/// ∂(Σ_c g_cn f_cn)/∂(ω_j·h_n). Times ω it is the gradient by h; h times its transpose is the
/// gradient by ω.
Matrix slopes(const Matrix& beta, const Waves& waves, const Matrix& g);

}  // namespace m3lak
