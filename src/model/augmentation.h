// λ given scores: 1/λ ~ InverseGaussian(mean 1/(C|ζ|), shape 1), ζ = 1 - y f.
#pragma once

#include "m3lak/model.h"
#include "numeric/random.h"

namespace m3lak {

/// 1/λ is the weight of an instance in β's precision; where ζ → 0 it has no mean, and a cap keeps
/// Cholesky factors finite.
constexpr double largest_inverse_lambda = 1e8;

/// 0 without a label (y = 0).
double draw_inverse_lambda(Stream& stream, double C, double y, double f);

}  // namespace m3lak
