// The Dirichlet process mixture of Gaussians: Walker's slice sampler, as a map over points and a
// reduction of sums over the points of each component.
#pragma once

#include <vector>

#include "model/component.h"
#include "model/concentration.h"
#include "model/point_sums.h"
#include "numeric/iteration.h"

namespace m3lak {

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

/// What to do besides: at the start of a chain only, as it does not leave the posterior in place.
enum class Reshape { none, merge, split };

/// One sweep: slices and new sticks, z, α if it is sampled, ζ, weights. A point's random numbers
/// are named by its index.
void draw_mixture(Workers& workers, const Iteration& iteration, const Points& points,
                  const NormalInverseWishart& base, const ConcentrationPrior& prior,
                  Mixture& mixture, Reshape reshape = Reshape::none);

/// All points in one component, drawn from its posterior.
Mixture one_component(Workers& workers, const Iteration& iteration, const Points& points,
                      const NormalInverseWishart& base, double concentration);

}  // namespace m3lak
