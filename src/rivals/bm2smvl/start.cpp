#include "rivals/bm2smvl/start.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "numeric/distributions.h"
#include "rivals/bm2smvl/streams.h"

namespace m3lak::bm2smvl_parts {

namespace {

/// Up to this size, the smaller Gram matrix is made and decomposed.
constexpr Index most_exact = 256;

/// Else so many directions more than wanted are looked for.
constexpr Index spare = 10;

/// Singular values below this share of the largest are 0.
constexpr double negligible = 1e-6;
constexpr double noise_size = 0.01;

/// Products with the views, each divided by the root of its number of features.
class Operator {
 public:
  Operator(Workers& workers, const Problem& problem)
      : workers_(workers), problem_(problem), scale_(problem.features()) {
    for (const auto& [first, count] : problem.views) {
      scale_.segment(first, count).setConstant(1 / std::sqrt(static_cast<double>(count)));
    }
  }

  Matrix times(const Matrix& B) const {
    const DenseMatrix scaled = scale_.asDiagonal() * B;
    Matrix product(problem_.instances(), B.cols());
    for_each_block(workers_, problem_.blocks, [&](const Block& block) {
      product.middleRows(block.begin, block.size).noalias() =
          problem_.X.middleRows(block.begin, block.size) * scaled;
    });
    return product;
  }

  Matrix transposed_times(const Matrix& A) const {
    constexpr Index features_a_block = 64;
    Matrix product(problem_.features(), A.cols());
    for_each_block(workers_, {problem_.features(), features_a_block}, [&](const Block& block) {
      product.middleRows(block.begin, block.size).noalias() =
          problem_.X.middleCols(block.begin, block.size).transpose() * A;
    });
    return scale_.asDiagonal() * product;
  }

 private:
  Workers& workers_;
  const Problem& problem_;
  Vector scale_;
};

struct Spectrum {
  Vector values;  ///< largest first
  Matrix vectors;
};

/// The leading eigenvectors of a Gram matrix of which products are known: exactly if it is small,
/// else by a randomised range finder with a few power iterations.
template <class Product>
Spectrum leading(Index size, Index most, Stream& stream, const Product& gram_times) {
  constexpr int rounds = 4;
  Matrix basis = Matrix::Identity(size, size);
  if (size > most_exact) {
    basis.resize(size, std::min(most + spare, size));
    fill_normal(stream, {basis.data(), static_cast<std::size_t>(basis.size())});
    for (int round = 0; round < rounds; ++round) {
      const Eigen::HouseholderQR<Matrix> qr(gram_times(basis));
      basis = qr.householderQ() * Matrix::Identity(size, basis.cols());
    }
  }
  const Matrix inside = basis.transpose() * gram_times(basis);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(inside);
  const Vector& values = solver.eigenvalues();
  const double largest = std::max(values[values.size() - 1], 0.0);
  const Index rank = (values.array() > negligible * negligible * largest).count();
  const Index kept = std::min(most, rank);
  return {values.tail(kept).reverse(),
          basis * solver.eigenvectors().rightCols(kept).rowwise().reverse()};
}

Matrix left_singular_vectors(Workers& workers, const Problem& problem, Index most, Stream& stream) {
  const Operator X(workers, problem);
  if (problem.instances() <= problem.features()) {
    return leading(problem.instances(), most, stream,
                   [&](const Matrix& A) { return X.times(X.transposed_times(A)); })
        .vectors;
  }
  const Spectrum right = leading(problem.features(), most, stream,
                                 [&](const Matrix& B) { return X.transposed_times(X.times(B)); });
  return X.times(right.vectors) * right.values.cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

DenseMatrix start_latents(Workers& workers, const Problem& problem, Index latent,
                          std::uint64_t seed) {
  Stream stream({.seed = seed, .step = number(Step::start)});
  const Matrix U = left_singular_vectors(workers, problem, latent, stream);
  Stream noise({.seed = seed, .step = number(Step::start_noise)});
  DenseMatrix H(problem.instances(), latent);
  fill_normal(noise, {H.data(), static_cast<std::size_t>(H.size())});
  H *= noise_size;
  H.leftCols(U.cols()) = U * std::sqrt(static_cast<double>(problem.instances()));
  return H;
}

double start_memory(Index instances, Index features, Index latent) {
  const Index smaller = std::min(instances, features);
  const Index width = smaller <= most_exact ? smaller : latent + spare;
  return 3 * static_cast<double>(width) * static_cast<double>(instances + features);
}

}  // namespace m3lak::bm2smvl_parts
