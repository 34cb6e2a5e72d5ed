// Where a chain starts.
#pragma once

#include "model/problem.h"
#include "model/state.h"

namespace m3lak {

/// The leading `latent` left singular vectors of all views, each view scaled to the same norm; one
/// column an instance, each row with mean square 1. Where the data has fewer, normal numbers.
Matrix singular_vectors(Workers& workers, const Problem& problem, Index latent,
                        const Iteration& iteration);

/// h by options.start. Chains after the first start elsewhere: halfway to N(0, I).
Matrix starting_latents(Workers& workers, const Problem& problem, const Options& options,
                        const Iteration& iteration);

}  // namespace m3lak
