// The principal coordinates of all views together, which the classifier sees beside the random
// features of the latent space.
//
// z = Σ_i x_i Q_i / s with orthonormal directions Q = [Q_1; Q_2; …], those of the largest variance
// first, and s² = mean ‖x‖². What is missing adds nothing. Any orthonormal directions would
// give the same prior of γ·z, as far as they span the same space; these are uncorrelated, so that
// weights can be drawn few at a time.
#pragma once

#include <vector>

#include "model/problem.h"
#include "numeric/random.h"

namespace m3lak {

/// Q_i / s of each view: one row a feature of the problem, one column a direction. There are as
/// many directions as the data has, but not more than `most`.
std::vector<DenseMatrix> principal_directions(Workers& workers, const Problem& problem, Index most,
                                              Stream stream);

/// Gives the problem these directions, and z, one row an instance.
void see_principal_coordinates(Workers& workers, std::vector<DenseMatrix> directions,
                               Problem& problem);

}  // namespace m3lak
