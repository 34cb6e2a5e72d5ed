// Whether chains agree, and how many independent draws theirs are worth: Vehtari, Gelman, Simpson,
// Carpenter and Bürkner (2021), "Rank-normalization, folding, and localization: an improved R-hat".
#pragma once

#include <vector>

namespace m3lak {

/// One quantity along each chain. Chains of different lengths are cut to the last draws of each, as
/// many as the shortest has.
using Chains = std::vector<std::vector<double>>;

/// Rank-normalised split R-hat: the larger of that of the values (do chains, and their halves, lie
/// at the same place?) and that of their distances from the median (are they equally wide?). Near 1
/// if they agree. 1 for a quantity that never changes; infinite if chains stand still at different
/// places, if there are fewer than four draws a chain, or if a value is not finite.
double r_hat(const Chains& chains);

/// Effective sample size of the rank-normalised values, for means and medians ("bulk"). That of a
/// quantity that never changes is the number of draws; 0 if there are fewer than four draws a
/// chain, or if a value is not finite.
double effective_samples(const Chains& chains);

}  // namespace m3lak
