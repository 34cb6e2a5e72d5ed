#include "inference/start.h"

#include <cmath>

#include "model/side_by_side.h"
#include "model/spectrum.h"
#include "numeric/distributions.h"

namespace m3lak {

namespace {

/// One column an instance, each with numbers of its own.
Matrix normals(const Problem& problem, Index rows, const Iteration& iteration, Index use) {
  Matrix result(rows, problem.instances());
  for (Index n = 0; n < result.cols(); ++n) {
    Stream stream = iteration.stream(Step::start, use, problem.first + n);
    fill_normal(stream, {result.col(n).data(), static_cast<std::size_t>(rows)});
  }
  return result;
}

/// 1 / ‖X_i‖ for each feature of view i.
Vector inverse_norms(const Problem& problem) {
  Vector inverse = Vector::Zero(features_of(problem));
  Index first = 0;
  for (std::size_t i = 0; i < problem.views.size(); ++i) {
    const Index features = problem.views[i].features();
    if (problem.squared_norms[i] > 0) {
      inverse.segment(first, features).setConstant(1 / std::sqrt(problem.squared_norms[i]));
    }
    first += features;
  }
  return inverse;
}

}  // namespace

// With X̃ = [X_i / ‖X_i‖] and X̃ᵀX̃ = Q Λ Qᵀ, the left singular vectors are X̃ Q Λ^{-1/2}. A few
// products with the data reach what matters of the leading ones.
Matrix singular_vectors(Workers& workers, const Problem& problem, Index latent,
                        const Iteration& iteration) {
  constexpr int rounds = 6;
  Matrix H = normals(problem, latent, iteration, 2);
  const Vector inverse = inverse_norms(problem);
  if (inverse.isZero(0)) return H;
  const auto product = [&](const DenseMatrix& B) -> DenseMatrix {
    return inverse.asDiagonal() *
           features_gram_times(workers, problem, Instances::all, inverse.asDiagonal() * B);
  };
  Stream stream = iteration.stream(Step::start);
  const Spectrum eigen = leading(inverse.size(), latent, rounds, stream, product);
  const Vector factors =
      (static_cast<double>(problem.total) * eigen.values.cwiseInverse()).cwiseSqrt();
  const DenseMatrix directions = inverse.asDiagonal() * eigen.vectors * factors.asDiagonal();
  H.topRows(directions.cols()) = instances_times(workers, problem, directions).transpose();
  return H;
}

Matrix starting_latents(Workers& workers, const Problem& problem, const Options& options,
                        const Iteration& iteration) {
  if (options.start == Start::random) return normals(problem, options.latent, iteration, 1);
  const Matrix H = singular_vectors(workers, problem, options.latent, iteration);
  if (iteration.chain == 0) return H;
  return std::sqrt(0.5) * (H + normals(problem, options.latent, iteration, 1));
}

}  // namespace m3lak
