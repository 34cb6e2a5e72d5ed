#include "model/principal.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/gram.h"
#include "data/view_algebra.h"
#include "numeric/distributions.h"

namespace m3lak {

namespace {

/// Beyond so many instances or features all eigenvectors would take too long.
constexpr Index most_exact = 700;

/// Directions in which the data has a smaller share of its largest variance are noise of rounding.
constexpr double negligible = 1e-10;

Index features_of(const Problem& problem) {
  return std::accumulate(problem.views.begin(), problem.views.end(), Index{0},
                         [](Index sum, const View& view) { return sum + view.features(); });
}

/// Σ_i X_i B_i: one row an instance.
DenseMatrix times(const Problem& problem, const DenseMatrix& B) {
  DenseMatrix product = DenseMatrix::Zero(problem.instances(), B.cols());
  Index first = 0;
  for (const View& view : problem.views) {
    add_times(view, B.middleRows(first, view.features()), product);
    first += view.features();
  }
  return product;
}

/// X_iᵀ A, one below the other.
DenseMatrix transposed_times(const Problem& problem, const DenseMatrix& A) {
  DenseMatrix product(features_of(problem), A.cols());
  Index first = 0;
  for (const View& view : problem.views) {
    product.middleRows(first, view.features()) = transposed_times(view, A);
    first += view.features();
  }
  return product;
}

/// work(segment, which views it has) for some blocks of instances, evenly spread: enough of them to
/// know directions by.
template <class Work>
void for_some(const Problem& problem, const Work& work) {
  constexpr Index enough = 80;
  const Index every = (problem.blocks.number() + enough - 1) / enough;
  for (Index b = 0; b < problem.blocks.number(); b += every) {
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(b)]) {
      work(segment, problem.patterns[static_cast<std::size_t>(segment.pattern)]);
    }
  }
}

/// XᵀX.
Matrix features_gram(const Problem& problem) {
  const Index D = features_of(problem);
  Matrix gram = Matrix::Zero(D, D);
  DenseMatrix rows;
  for_some(problem, [&](const Segment& segment, const auto& has) {
    rows.setZero(segment.size, D);
    Index first = 0;
    for (std::size_t i = 0; i < has.size(); ++i) {
      const Index features = problem.views[i].features();
      if (has[i]) put_rows(problem.views[i], segment.begin, rows.middleCols(first, features));
      first += features;
    }
    gram.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
  });
  return gram.selfadjointView<Eigen::Lower>();
}

/// XᵀX B; sparse views stay sparse.
DenseMatrix features_gram_times(const Problem& problem, const DenseMatrix& B) {
  std::vector<RowMatrix<double>> rights;
  std::vector<Matrix> products;
  Index first = 0;
  for (const View& view : problem.views) {
    rights.push_back(padded<double>(B.middleRows(first, view.features())));
    products.push_back(Matrix::Zero(view.features(), B.cols()));
    first += view.features();
  }
  RowMatrix<double> read;
  for_some(problem, [&](const Segment& segment, const auto& has) {
    read.setZero(segment.size, padded<double>(B.cols()));
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (has[i]) add_rows_times<double>(problem.views[i], segment.begin, rights[i], read);
    }
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (!has[i]) continue;
      add_transposed_times<double>(problem.views[i], segment.begin, read.leftCols(B.cols()),
                                   products[i]);
    }
  });
  DenseMatrix product(B.rows(), B.cols());
  first = 0;
  for (const Matrix& of_view : products) {
    product.middleRows(first, of_view.rows()) = of_view;
    first += of_view.rows();
  }
  return product;
}

/// X Xᵀ.
Matrix instances_gram(const Problem& problem) {
  Matrix gram = Matrix::Zero(problem.instances(), problem.instances());
  for (const View& view : problem.views) gram += products(view, view);
  return gram;
}

struct Spectrum {
  Vector values;  ///< largest first
  DenseMatrix vectors;
};

/// The leading eigenvectors of a symmetric matrix that is not negative.
Spectrum leading(const Matrix& matrix, Index most) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(matrix);
  const Vector& values = solver.eigenvalues();
  const Index width = values.size();
  const Index found = (values.array() > negligible * std::max(values[width - 1], 0.0)).count();
  const Index kept = std::min(most, found);
  return {values.tail(kept).reverse(), solver.eigenvectors().rightCols(kept).rowwise().reverse()};
}

/// The same of one that is too large to be made: by its products, in subspace iteration. That need
/// not converge: any directions will do, as long as they hold most of the variance.
template <class Product>
Spectrum leading(Index size, Index most, Stream& stream, const Product& product) {
  constexpr int rounds = 4;
  constexpr Index spare = 8;
  DenseMatrix basis(size, std::min(most + spare, size));
  fill_normal(stream, {basis.data(), static_cast<std::size_t>(basis.size())});
  for (int round = 0; round < rounds; ++round) {
    const Eigen::HouseholderQR<Matrix> qr(round == 0 ? basis : product(basis));
    basis = qr.householderQ() * Matrix::Identity(size, basis.cols());
  }
  Spectrum inside = leading(basis.transpose() * product(basis), most);
  inside.vectors = basis * inside.vectors;
  return inside;
}

}  // namespace

std::vector<DenseMatrix> principal_directions(const Problem& problem, Index most, Stream stream) {
  const Index N = problem.instances(), D = features_of(problem);
  const double squares =
      std::accumulate(problem.squared_norms.begin(), problem.squared_norms.end(), 0.0);
  DenseMatrix Q(D, 0);
  if (squares == 0 || most == 0) {
    // Nothing to see.
  } else if (D <= N) {
    const auto product = [&](const DenseMatrix& B) { return features_gram_times(problem, B); };
    Q = (D <= most_exact ? leading(features_gram(problem), most)
                         : leading(D, most, stream, product))
            .vectors;
  } else {
    const auto product = [&](const DenseMatrix& A) {
      return times(problem, transposed_times(problem, A));
    };
    const Spectrum eigen = N <= most_exact ? leading(instances_gram(problem), most)
                                           : leading(N, most, stream, product);
    Q = transposed_times(problem, eigen.vectors) *
        eigen.values.cwiseSqrt().cwiseInverse().asDiagonal();
  }
  if (Q.cols() > 0) Q /= std::sqrt(squares / static_cast<double>(N));
  std::vector<DenseMatrix> directions;
  Index first = 0;
  for (const View& view : problem.views) {
    directions.push_back(Q.middleRows(first, view.features()));
    first += view.features();
  }
  return directions;
}

void see_principal_coordinates(std::vector<DenseMatrix> directions, Problem& problem) {
  problem.coordinates.setZero(problem.instances(), directions.front().cols());
  for (std::size_t i = 0; i < directions.size(); ++i) {
    add_times(problem.views[i], directions[i], problem.coordinates);
  }
  problem.directions = std::move(directions);
}

}  // namespace m3lak
