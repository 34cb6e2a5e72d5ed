#include "rivals/distances.h"

#include <algorithm>
#include <cmath>

namespace m3lak {

namespace {

constexpr Index columns_a_block = 64;

}  // namespace

Matrix squared_distances(Workers& workers, const DenseMatrix& x, const DenseMatrix& y) {
  const Vector x_norms = x.rowwise().squaredNorm(), y_norms = y.rowwise().squaredNorm();
  Matrix d(x.rows(), y.rows());
  for_each_block(workers, {y.rows(), columns_a_block}, [&](const Block& block) {
    auto columns = d.middleCols(block.begin, block.size);
    columns.noalias() = -2 * x * y.middleRows(block.begin, block.size).transpose();
    columns.colwise() += x_norms;
    columns.rowwise() += y_norms.segment(block.begin, block.size).transpose();
    columns = columns.cwiseMax(0);
  });
  return d;
}

Matrix squared_distances(Workers& workers, const DenseMatrix& x) {
  Matrix d = squared_distances(workers, x, x);
  for (Index n = 0; n < d.cols(); ++n) {
    d(n, n) = 0;
    d.row(n).tail(d.cols() - n - 1) = d.col(n).tail(d.rows() - n - 1).transpose();
  }
  return d;
}

double median_distance(const Matrix& squared_distances) {
  constexpr Index enough = 2000;
  const Index N = squared_distances.rows(), every = std::max<Index>(1, N / enough);
  std::vector<double> all;
  for (Index k = 0; k < N; k += every) {
    for (Index n = k + every; n < N; n += every) all.push_back(squared_distances(n, k));
  }
  if (all.empty()) return 1;
  const auto middle = all.begin() + std::ssize(all) / 2;
  std::ranges::nth_element(all, middle);
  return *middle > 0 ? std::sqrt(*middle) : 1;
}

Matrix gaussian_kernel(Workers& workers, const Matrix& squared_distances, double width) {
  Matrix kernel(squared_distances.rows(), squared_distances.cols());
  const double scale = -1 / (2 * width * width);
  for_each_block(workers, {kernel.cols(), columns_a_block}, [&](const Block& block) {
    kernel.middleCols(block.begin, block.size) =
        (scale * squared_distances.middleCols(block.begin, block.size).array()).exp();
  });
  return kernel;
}

}  // namespace m3lak
