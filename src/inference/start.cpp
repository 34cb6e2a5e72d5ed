#include "inference/start.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "data/view_algebra.h"
#include "numeric/distributions.h"

namespace m3lak {

namespace {

Matrix normals(Stream& stream, Index rows, Index columns) {
  Matrix result(rows, columns);
  fill_normal(stream, {result.data(), static_cast<std::size_t>(result.size())});
  return result;
}

/// Σ_i X_i X_iᵀ Y / ‖X_i‖²
DenseMatrix times_gram(const Problem& problem, const DenseMatrix& Y) {
  DenseMatrix product = DenseMatrix::Zero(Y.rows(), Y.cols());
  for (std::size_t i = 0; i < problem.views.size(); ++i) {
    if (problem.squared_norms[i] == 0) continue;
    const View& view = problem.views[i];
    product += times(view, transposed_times(view, Y)) / problem.squared_norms[i];
  }
  return product;
}

DenseMatrix orthonormal(const DenseMatrix& Y) {
  const Eigen::HouseholderQR<Matrix> qr(Y);
  return qr.householderQ() * Matrix::Identity(Y.rows(), Y.cols());
}

}  // namespace

// Subspace iteration: a few products with the data reach what matters of the leading vectors.
Matrix singular_vectors(const Problem& problem, Index latent, Stream stream) {
  constexpr int rounds = 6;
  constexpr Index spare = 5;
  const Index N = problem.instances();
  const Index found = std::min(latent, N), width = std::min(latent + spare, N);
  DenseMatrix Q = orthonormal(normals(stream, N, width));
  for (int round = 0; round < rounds; ++round) Q = orthonormal(times_gram(problem, Q));
  const Matrix inside = Q.transpose() * times_gram(problem, Q);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(inside);
  Matrix H = normals(stream, latent, N);
  H.topRows(found) = std::sqrt(static_cast<double>(N)) *
                     (Q * eigen.eigenvectors().rightCols(found).rowwise().reverse()).transpose();
  return H;
}

Matrix starting_latents(const Problem& problem, const Options& options,
                        const Iteration& iteration) {
  Stream noise = iteration.stream(Step::start, 1);
  const Matrix random = normals(noise, options.latent, problem.instances());
  if (options.start == Start::random) return random;
  const Matrix H = singular_vectors(problem, options.latent, iteration.stream(Step::start));
  if (iteration.chain == 0) return H;
  return std::sqrt(0.5) * (H + random);
}

}  // namespace m3lak
