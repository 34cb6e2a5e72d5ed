#include "model/weights.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "model/augmentation.h"
#include "model/features.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

namespace {

/// Of a few classes: Σ x φ~φ~ᵀ below each other (lower triangles), and Σ (1 + C x) y φ~.
struct Sums {
  Matrix gram, pull;
};

/// So many classes at once that their sums take 8 MiB at the most.
Index classes_at_once(Index weights, Index classes) {
  return std::clamp((Index{1} << 20) / (weights * weights), Index{1}, classes);
}

/// φ~
Matrix padded_features(const Matrix& omega, const Eigen::Ref<const Matrix>& h) {
  Waves at_h;
  waves(omega, h, at_h);
  const Index M = omega.cols();
  Matrix phi(2 * M + 1, h.cols());
  phi.topRows(M) = at_h.cos / std::sqrt(static_cast<double>(M));
  phi.middleRows(M, M) = at_h.sin / std::sqrt(static_cast<double>(M));
  phi.bottomRows(1).setOnes();
  return phi;
}

}  // namespace

void draw_weights(Workers& workers, const Iteration& iteration, const Problem& problem,
                  const Options& options, State& state) {
  const Index weights = state.beta.rows(), classes = state.beta.cols();
  const double C = options.C;
  const Index at_once = classes_at_once(weights, classes);
  for (Index first = 0; first < classes; first += at_once) {
    const Index count = std::min(at_once, classes - first);
    const auto map = [&](const Block& block, Sums& sum) {
      const Matrix phi = padded_features(state.omega, state.H.middleCols(block.begin, block.size));
      Matrix weighted;
      for (Index c = 0; c < count; ++c) {
        const auto y = problem.y.row(first + c).segment(block.begin, block.size);
        auto x = state.inverse_lambda.row(first + c).segment(block.begin, block.size);
        const Eigen::RowVectorXd f = state.beta.col(first + c).transpose() * phi;
        for (Index n = 0; n < block.size; ++n) {
          Stream stream = iteration.stream(Step::augmentation, first + c, block.begin + n);
          x[n] = draw_inverse_lambda(stream, C, y[n], f[n]);
        }
        weighted = phi * x.cwiseSqrt().asDiagonal();
        sum.gram.middleRows(c * weights, weights)
            .selfadjointView<Eigen::Lower>()
            .rankUpdate(weighted);
        sum.pull.col(c).noalias() += phi * ((1 + C * x.array()) * y.array()).matrix().transpose();
      }
    };
    const auto combine = [](Sums& into, const Sums& from) {
      into.gram += from.gram;
      into.pull += from.pull;
    };
    const Sums zero{Matrix::Zero(count * weights, weights), Matrix::Zero(weights, count)};
    const Sums sums = reduce_blocks(workers, problem.blocks, zero, map, combine);
    for (Index c = 0; c < count; ++c) {
      Matrix P = C * C * sums.gram.middleRows(c * weights, weights);
      P.diagonal().array() += state.weight_precision;
      const Matrix L = P.llt().matrixL();
      Stream stream = iteration.stream(Step::weights, first + c);
      state.beta.col(first + c) = normal_from_precision(stream, L, C * sums.pull.col(c));
    }
  }
}

}  // namespace m3lak
