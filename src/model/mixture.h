// The Dirichlet process mixture of Gaussians.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "m3lak/model.h"
#include "model/concentration.h"
#include "numeric/random.h"

namespace m3lak {

/// The base measure: Σ ~ InverseWishart(dof, scale), μ ~ N(mean, Σ / strength).
struct NormalInverseWishart {
  Vector mean;
  double strength = 1;
  Matrix scale;
  double dof = 0;
};

struct Component {
  double log_weight = 0;
  Vector mean;
  Matrix factor;  ///< lower Cholesky factor of the covariance

  double log_density(const Eigen::Ref<const Vector>& point) const;
};

/// Components without points are not kept: `log_rest` is the weight of all of them together.
struct Mixture {
  std::vector<Component> components;
  std::vector<int> of;  ///< the component of each point
  double log_rest = 0;
  double concentration = 1;

  const Component& component_of(Index point) const {
    return components[static_cast<std::size_t>(of[static_cast<std::size_t>(point)])];
  }
};

/// ζ = (μ, Σ) from the base, or from its posterior given points (columns).
Component draw_component(Stream& stream, const NormalInverseWishart& base);
NormalInverseWishart posterior(const NormalInverseWishart& base, const Matrix& points);

/// Walker's slice sampler, one sweep: slices and new sticks, z, α if it is sampled, ζ, weights.
/// `points` are columns.
void draw_mixture(Stream& stream, const Matrix& points, const NormalInverseWishart& base,
                  const ConcentrationPrior& prior, Mixture& mixture);

/// All points in one component, drawn from its posterior.
Mixture one_component(Stream& stream, const Matrix& points, const NormalInverseWishart& base,
                      double concentration);

}  // namespace m3lak
