#include "model/principal.h"

#include <cmath>
#include <numeric>

#include "data/gram.h"
#include "data/view_algebra.h"
#include "model/side_by_side.h"
#include "model/spectrum.h"

namespace m3lak {

namespace {

/// Beyond so many instances or features all eigenvectors would take too long.
constexpr Index most_exact = 700;

/// Of subspace iteration.
constexpr int rounds = 4;

/// X A, one row an instance, and Xᵀ A: where there is one process, with whole matrices.
DenseMatrix times(const Problem& problem, const DenseMatrix& B) {
  DenseMatrix product = DenseMatrix::Zero(problem.instances(), B.cols());
  Index first = 0;
  for (const View& view : problem.views) {
    add_times(view, B.middleRows(first, view.features()), product);
    first += view.features();
  }
  return product;
}

DenseMatrix transposed_times(const Problem& problem, const DenseMatrix& A) {
  DenseMatrix product(features_of(problem), A.cols());
  Index first = 0;
  for (const View& view : problem.views) {
    product.middleRows(first, view.features()) = transposed_times(view, A);
    first += view.features();
  }
  return product;
}

/// X Xᵀ.
Matrix instances_gram(const Problem& problem) {
  Matrix gram = Matrix::Zero(problem.instances(), problem.instances());
  for (const View& view : problem.views) gram += products(view, view);
  return gram;
}

/// Where there are fewer instances than features.
DenseMatrix directions_by_instances(const Problem& problem, Index most, Stream& stream) {
  const Index N = problem.instances();
  const auto product = [&](const DenseMatrix& A) {
    return times(problem, transposed_times(problem, A));
  };
  const Spectrum eigen = N <= most_exact ? leading(instances_gram(problem), most)
                                         : leading(N, most, rounds, stream, product);
  return transposed_times(problem, eigen.vectors) *
         eigen.values.cwiseSqrt().cwiseInverse().asDiagonal();
}

DenseMatrix directions_by_features(Workers& workers, const Problem& problem, Index most,
                                   Stream& stream) {
  const Index D = features_of(problem);
  if (D <= most_exact) {
    return leading(features_gram(workers, problem, Instances::some), most).vectors;
  }
  const auto product = [&](const DenseMatrix& B) {
    return features_gram_times(workers, problem, Instances::some, B);
  };
  return leading(D, most, rounds, stream, product).vectors;
}

}  // namespace

std::vector<DenseMatrix> principal_directions(Workers& workers, const Problem& problem, Index most,
                                              Stream stream) {
  const double squares =
      std::accumulate(problem.squared_norms.begin(), problem.squared_norms.end(), 0.0);
  DenseMatrix Q(features_of(problem), 0);
  if (squares > 0 && most > 0) {
    Q = features_of(problem) <= problem.total
            ? directions_by_features(workers, problem, most, stream)
            : directions_by_instances(problem, most, stream);
    Q /= std::sqrt(squares / static_cast<double>(problem.total));
  }
  std::vector<DenseMatrix> directions;
  Index first = 0;
  for (const View& view : problem.views) {
    directions.push_back(Q.middleRows(first, view.features()));
    first += view.features();
  }
  return directions;
}

void see_principal_coordinates(Workers& workers, std::vector<DenseMatrix> directions,
                               Problem& problem) {
  DenseMatrix Q(features_of(problem), directions.front().cols());
  Index first = 0;
  for (const DenseMatrix& of_view : directions) {
    Q.middleRows(first, of_view.rows()) = of_view;
    first += of_view.rows();
  }
  problem.coordinates =
      Q.cols() > 0 ? instances_times(workers, problem, Q) : DenseMatrix(problem.instances(), 0);
  problem.directions = std::move(directions);
}

}  // namespace m3lak
