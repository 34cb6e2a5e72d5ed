// Densities and components of new points, given draws of a mixture.
#pragma once

#include "m3lak/mixture.h"
#include "model/point_sums.h"

namespace m3lak {

/// Throws BadData unless all draws are mixtures of that dimension.
void check_draws(const std::vector<MixtureDraw>& draws, Index dimension);

std::vector<int> most_probable(Workers& workers, const MixtureDraw& draw, const Points& points);
DenseMatrix probabilities(Workers& workers, const MixtureDraw& draw, const Points& points);

/// log (1/T) Σ_t [Σ_k ϖ_k N(x | ζ_k) + ϖ* p(x)], with p the base's predictive density.
Vector log_densities(Workers& workers, const std::vector<MixtureDraw>& draws,
                     const NormalInverseWishart& base, const Points& points);

}  // namespace m3lak
