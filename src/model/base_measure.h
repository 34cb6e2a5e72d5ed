// The base measure of the mixture over frequencies, as the options want it.
#pragma once

#include "m3lak/options.h"
#include "model/state.h"

namespace m3lak {

NormalInverseWishart base_measure(const Options& options, const std::vector<ViewState>& views);

/// The covariance from which the frequencies start: what the base expects, or, where it expects
/// nothing, a kernel about as wide as the distance of two instances.
Matrix starting_covariance(const Options& options, const NormalInverseWishart& base);

}  // namespace m3lak
