// Where training starts: the harmonium of greatest likelihood, as far as it has a closed form.
#pragma once

#include <cstdint>

#include "numeric/parallel.h"
#include "rivals/mmh/harmonium.h"

namespace m3lak::harmonium {

/// From the rows of the training data. Of Gaussian wings alone, the likelihood is greatest at
/// A = U diag(√(1 - 1/e)) with the principal directions U whose variances e are above 1. The start
/// is 0.9 of it, Bernoulli wings taken as if they were Gaussian; columns for which there is no such
/// direction are small and random. Offsets are the mean, or the log odds of the smoothed mean.
Parameters principal_start(Workers& workers, const DenseMatrix& x, const std::vector<Wing>& wings,
                           Index latent, std::uint64_t seed);

}  // namespace m3lak::harmonium
