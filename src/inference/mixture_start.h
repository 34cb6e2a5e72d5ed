// Where the chain of a mixture starts.
#pragma once

#include "model/mixture.h"

namespace m3lak {

/// From coarse to fine: a few thousand points, every so many-th, start as one component and are
/// sampled with splits and merges, which is quick and forgets how it began; the components that are
/// found start the same for four times as many points, and so on, up to all of them.
Mixture start_mixture(Workers& workers, std::uint64_t seed, const Points& points,
                      const NormalInverseWishart& base, const ConcentrationPrior& prior,
                      double concentration);

/// What is done besides in sweep `number` = 1, 2, …, with so many sweeps from merge to merge.
Reshape reshape_of(std::uint64_t number, std::uint64_t between_merges);

}  // namespace m3lak
