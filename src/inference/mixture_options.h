// The settings of a mixture, as the points complete them.
#pragma once

#include "m3lak/mixture.h"
#include "model/normal_inverse_wishart.h"

namespace m3lak {

/// What is "auto" is chosen, the rest is checked. Throws BadUsage.
MixtureOptions settle(MixtureOptions options, const PointMoments& points);

/// Of options that are settled.
NormalInverseWishart base_measure(const MixtureOptions& options);

}  // namespace m3lak
