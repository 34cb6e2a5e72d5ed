// The steps of the slice sampler that look at the points.
#pragma once

#include "model/mixture.h"
#include "model/point_tile.h"

namespace m3lak {

/// (1) The least of the log t_j, with t_j ~ U(0, ϖ_{z_j}).
double log_least_slice(Workers& workers, const Iteration& iteration, const Mixture& mixture);

/// (3) z_j over the components whose weight is at least t_j, by their densities alone. Returns
/// what the points of each component add up to, about the component's mean.
PointSums draw_assignments(Workers& workers, const Iteration& iteration, const Points& points,
                           Mixture& mixture);

}  // namespace m3lak
