// Draws of vectors and matrices. Covariances and precisions come and go as lower Cholesky factors;
// what stands above the diagonal of a factor is not read.
#pragma once

#include <Eigen/Core>

#include "numeric/random.h"

namespace m3lak {

/// N(P⁻¹b, P⁻¹) with P = LLᵀ.
Eigen::VectorXd normal_from_precision(Stream& stream, const Eigen::Ref<const Eigen::MatrixXd>& L,
                                      Eigen::VectorXd b);

/// A matrix of independent rows, row i ~ N(P⁻¹bᵢ, P⁻¹) with P = LLᵀ and bᵢ row i of B. Row by row
/// it takes from the stream what the draw of one vector takes.
Eigen::MatrixXd normal_rows_from_precision(Stream& stream,
                                           const Eigen::Ref<const Eigen::MatrixXd>& L,
                                           Eigen::MatrixXd B);

/// The logarithms of Dirichlet(shapes) weights, which tiny shapes do not underflow.
Eigen::VectorXd log_dirichlet(Stream& stream, const Eigen::Ref<const Eigen::VectorXd>& shapes);

/// Dirichlet(shapes): weights that add up to 1.
Eigen::VectorXd dirichlet(Stream& stream, const Eigen::Ref<const Eigen::VectorXd>& shapes);

/// The lower Cholesky factor of a draw from Wishart(dof, CCᵀ), of mean dof CCᵀ. Any real dof above
/// p - 1 will do; however close it is, the factor's diagonal is positive (see wishart_floor).
/// Throws std::invalid_argument below.
Eigen::MatrixXd wishart(Stream& stream, double dof, const Eigen::Ref<const Eigen::MatrixXd>& C);

/// The lower Cholesky factor of a draw from InverseWishart(dof, CCᵀ), of mean CCᵀ / (dof - p - 1).
/// The same holds for dof.
Eigen::MatrixXd inverse_wishart(Stream& stream, double dof,
                                const Eigen::Ref<const Eigen::MatrixXd>& C);

/// The smallest diagonal element of Bartlett's factor. Its square, χ² of dof - p + 1 degrees of
/// freedom, underflows when that is a few hundredths or less; the floor keeps matrices positive
/// definite and inverses finite, their squares too.
constexpr double wishart_floor = 1e-140;

}  // namespace m3lak
