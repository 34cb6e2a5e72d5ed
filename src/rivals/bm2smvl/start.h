// Where both engines start.
#pragma once

#include <cstdint>

#include "rivals/bm2smvl/problem.h"

namespace m3lak::bm2smvl_parts {

/// The leading left singular vectors of all views, each view divided by the root of its number of
/// features, times the root of the number of instances; columns beyond the rank are weak noise.
DenseMatrix start_latents(Workers& workers, const Problem& problem, Index latent,
                          std::uint64_t seed);

/// How many numbers that keeps in memory at once.
double start_memory(Index instances, Index features, Index latent);

}  // namespace m3lak::bm2smvl_parts
