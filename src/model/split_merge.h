// Moves of many points at once, for the start of a chain: the slice sampler alone takes very long
// to split a component that has many points, or to merge two of them.
//
// Points given to two components by odds q(z), after which the components' parameters are
// integrated out, make
//   log p(x, z) - log q(z)
// an estimate of log Σ_z p(x, z), the evidence of two components; it is compared with that of one.
// p(x, z) is the product of log_evidence and of the partition's prior, α^K Π Γ(s_k).
#pragma once

#include "model/mixture.h"

namespace m3lak {

/// Pairs of components become one where that has the larger evidence; each component is in one pair
/// at most, by chance. The components must be those that the points were assigned with.
void merge_components(Workers& workers, const Iteration& iteration, const Points& points,
                      const NormalInverseWishart& base, Mixture& mixture,
                      std::vector<PointMoments>& moments);

/// Each component is halved: about two of its points, improved by EM (on some of the points if
/// there are many), then its points are assigned to the halves; these stay where they have the
/// larger evidence. New components have no parameters yet.
void split_components(Workers& workers, const Iteration& iteration, const Points& points,
                      const NormalInverseWishart& base, Mixture& mixture,
                      std::vector<PointMoments>& moments);

/// Points of component k are now of number[k].
void renumber(Workers& workers, const std::vector<int>& number, Mixture& mixture);

}  // namespace m3lak
