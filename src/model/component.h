// One Gaussian of the mixture.
#pragma once

#include "model/normal_inverse_wishart.h"
#include "numeric/random.h"

namespace m3lak {

struct Component {
  double log_weight = 0;
  Vector mean;
  Matrix factor;  ///< lower Cholesky factor of the covariance

  double log_density(const Eigen::Ref<const Vector>& point) const;
};

/// ζ = (μ, Σ) from the base, or from its posterior given points.
Component draw_component(Stream& stream, const NormalInverseWishart& law);

}  // namespace m3lak
