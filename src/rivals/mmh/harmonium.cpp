#include "rivals/mmh/harmonium.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace m3lak::harmonium {

namespace {

/// Support vectors of an exact machine have a margin of 1 up to rounding, which is not to decide
/// whether they pull.
constexpr double met = 1 - 1e-6;

}  // namespace

Reconstruction reconstruct(const Parameters& of, const std::vector<Wing>& wings, const Matrix& h) {
  Reconstruction result;
  result.means.noalias() = h * of.A.transpose();
  result.means.rowwise() += of.offsets.transpose();
  result.variances = Vector::Constant(of.A.rows(), static_cast<double>(h.rows()));
  for (const Wing& wing : wings) {
    if (wing.kind != Kind::bernoulli) continue;
    auto p = result.means.middleCols(wing.begin, wing.size).array();
    p = 1 / (1 + (-p).exp());
    result.variances.segment(wing.begin, wing.size) = (p * (1 - p)).colwise().sum().transpose();
  }
  return result;
}

// d log p(x) / dA = x μ(x)ᵀ - (the same, averaged over the model), because ∫ exp(hᵀμ - ‖h‖²/2) dh
// is proportional to exp(‖μ‖²/2); d log p(x) / da = x - (its average).
//
// A reconstruction x̃ is not drawn but integrated out: with means M = E[x̃ | h] and m = M A,
//   E[Σ_n x̃ μ(x̃)ᵀ | h] = Mᵀm + diag(Σ_n var(x̃ | h)) A.
Parameters likelihood_gradient(const Parameters& at, const DenseMatrix& x, const Matrix& mu,
                               const Reconstruction& reconstruction) {
  const auto count = static_cast<double>(x.rows());
  const DenseMatrix& means = reconstruction.means;
  const Matrix m = means * at.A;
  Parameters gradient;
  gradient.A.noalias() = x.transpose() * mu;
  gradient.A.noalias() -= means.transpose() * m;
  gradient.A -= reconstruction.variances.asDiagonal() * at.A;
  gradient.A /= count;
  gradient.offsets = (x.colwise().sum() - means.colwise().sum()).transpose() / count;
  return gradient;
}

// With z_n = y_n where the margin is violated and 0 elsewhere: (1/N) Xᵀz vᵀ.
Matrix hinge_gradient(const DenseMatrix& x, const Matrix& mu, const Vector& y,
                      const LinearMachine& machine) {
  const Vector margins = y.array() * machine.scores(mu).array();
  const Vector z = (margins.array() < met).select(y, 0);
  const Vector pull = x.transpose() * z / static_cast<double>(x.rows());
  return pull * machine.v.transpose();
}

// With A = U S Rᵀ: A R min(1, s/S) Rᵀ. R and S² are those of AᵀA, which is small.
void project(Parameters& parameters, const std::vector<Wing>& wings) {
  const Index latent = parameters.A.cols();
  Matrix gram = Matrix::Zero(latent, latent);
  for (const Wing& wing : wings) {
    if (wing.kind != Kind::gaussian) continue;
    const auto A = parameters.A.middleRows(wing.begin, wing.size);
    gram.noalias() += A.transpose() * A;
  }
  if (gram.trace() <= largest_singular_value * largest_singular_value) return;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram);
  const Vector values = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
  if (values.maxCoeff() <= largest_singular_value) return;
  const Vector shrinkage = largest_singular_value / values.array().max(largest_singular_value);
  const Matrix cut =
      solver.eigenvectors() * shrinkage.asDiagonal() * solver.eigenvectors().transpose();
  for (const Wing& wing : wings) {
    if (wing.kind != Kind::gaussian) continue;
    auto A = parameters.A.middleRows(wing.begin, wing.size);
    A = (A * cut).eval();
  }
}

void limit(Matrix& matrix, double most) {
  if (matrix.norm() <= most) return;  // no singular value is larger than this norm
  const Matrix gram = matrix.transpose() * matrix;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram, Eigen::EigenvaluesOnly);
  const double largest = std::sqrt(solver.eigenvalues().maxCoeff());
  if (largest > most) matrix *= most / largest;
}

}  // namespace m3lak::harmonium
