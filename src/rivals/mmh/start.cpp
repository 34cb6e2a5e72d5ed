#include "rivals/mmh/start.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "numeric/distributions.h"
#include "rivals/mmh/draws.h"

namespace m3lak::harmonium {

namespace {

constexpr double share_of_solution = 0.9;
constexpr double random_length = 0.1;
constexpr Index columns_a_block = 64;

struct Principal {
  Vector variances;   ///< falling
  Matrix directions;  ///< of length 1, one a column
};

/// X Xᵀ / count.
Matrix gram(Workers& workers, const DenseMatrix& x, Index count) {
  Matrix result(x.rows(), x.rows());
  for_each_block(workers, {x.rows(), columns_a_block}, [&](const Block& block) {
    result.middleCols(block.begin, block.size).noalias() =
        x * x.middleRows(block.begin, block.size).transpose();
  });
  result /= static_cast<double>(count);
  return result;
}

/// Those of variance above 1, of the rows x, which are centred; `most` of them at most. Of X Xᵀ and
/// XᵀX the smaller is decomposed: an eigenvector q of X Xᵀ/N is the direction Xᵀq / √(N e).
Principal principal(Workers& workers, const DenseMatrix& x, Index most) {
  const bool is_wide = x.cols() > x.rows();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(
      gram(workers, is_wide ? x : DenseMatrix(x.transpose()), x.rows()));
  const Vector variances = solver.eigenvalues().reverse();
  const Index above = std::min(most, (variances.array() > 1).count());
  const Matrix vectors = solver.eigenvectors().rowwise().reverse().leftCols(above);
  Principal result{variances.head(above), vectors};
  if (is_wide) {
    result.directions = x.transpose() * vectors;
    result.directions.colwise().normalize();
  }
  return result;
}

}  // namespace

Parameters principal_start(Workers& workers, const DenseMatrix& x, const std::vector<Wing>& wings,
                           Index latent, std::uint64_t seed) {
  Parameters start{Matrix(x.cols(), latent), Vector::Zero(x.cols())};
  if (x.cols() == 0) return start;
  const Vector means = x.colwise().mean();
  for (const Wing& wing : wings) {
    const auto of_wing = means.segment(wing.begin, wing.size).array();
    auto offsets = start.offsets.segment(wing.begin, wing.size).array();
    const auto N = static_cast<double>(x.rows());
    offsets = of_wing;
    if (wing.kind == Kind::bernoulli) offsets = ((N * of_wing + 1) / (N * (1 - of_wing) + 1)).log();
  }

  const Principal found = principal(workers, x.rowwise() - means.transpose(), latent);
  const Index count = found.variances.size();
  start.A.leftCols(count) =
      found.directions *
      (share_of_solution * (1 - found.variances.array().inverse()).sqrt()).matrix().asDiagonal();
  Stream stream({.seed = seed, .step = draws::start});
  auto random = start.A.rightCols(latent - count);
  fill_normal(stream, {random.data(), static_cast<std::size_t>(random.size())});
  random *= random_length / std::sqrt(static_cast<double>(x.cols()));
  return start;
}

}  // namespace m3lak::harmonium
