// The harmonium: visible units x (wings of Gaussian or Bernoulli units) coupled with a Gaussian h.
//
//   log p(x, h) = aᵀx - ‖x_gaussian‖²/2 - ‖h‖²/2 + xᵀA h - log Z
//   h   | x ~ N(μ(x), I),  μ(x) = Aᵀx
//   x_j | h ~ N(a_j + (A h)_j, 1) or Bernoulli(σ(a_j + (A h)_j))
//
// Matrices of units have one row a unit, those of instances one row an instance.
#pragma once

#include <vector>

#include "m3lak/model.h"
#include "rivals/mmh/machine.h"
#include "rivals/mmh/visible.h"

namespace m3lak::harmonium {

/// The harmonium's parameters, or a direction to change them in.
struct Parameters {
  Matrix A;        ///< couplings, one column a latent dimension
  Vector offsets;  ///< a
};

/// What x is expected to be given h.
struct Reconstruction {
  DenseMatrix means;  ///< E[x | h]
  Vector variances;   ///< of each unit given h, summed over instances
};
Reconstruction reconstruct(const Parameters& of, const std::vector<Wing>& wings, const Matrix& h);

/// One step of contrastive divergence: the gradient of the mean log p(x), where the model's
/// average is that over reconstructions from h = μ + noise, noise ~ N(0, I). `mu`: of `x`.
Parameters likelihood_gradient(const Parameters& at, const DenseMatrix& x, const Matrix& mu,
                               const Reconstruction& reconstruction);

/// Minus the gradient, with respect to A, of the mean hinge loss of y (vᵀAᵀx + b).
Matrix hinge_gradient(const DenseMatrix& x, const Matrix& mu, const Vector& y,
                      const LinearMachine& machine);

/// p(x) of Gaussian wings has the precision I - A Aᵀ: it exists only if all singular values of
/// their A, one below the other, are less than 1. Larger ones are cut to `largest_singular_value`.
void project(Parameters& parameters, const std::vector<Wing>& wings);
constexpr double largest_singular_value = 0.999;

/// Shrinks the matrix, if need be, until no singular value is above `most`.
void limit(Matrix& matrix, double most);

}  // namespace m3lak::harmonium
