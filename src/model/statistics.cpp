#include "model/statistics.h"

#include "data/view_algebra.h"

namespace m3lak {

Statistics Statistics::zero(const Problem& problem, Index latent, Index private_latent) {
  const Index k = latent + private_latent;
  Statistics statistics;
  for (const View& view : problem.views) {
    statistics.views.push_back({DenseMatrix::Zero(view.features(), k), Matrix::Zero(k, k), 0});
  }
  return statistics;
}

void Statistics::operator+=(const Statistics& other) {
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i].xz += other.views[i].xz;
    views[i].zz += other.views[i].zz;
    views[i].filled_squares += other.views[i].filled_squares;
  }
}

Matrix stacked(const State& state, std::size_t view, const Segment& segment) {
  Matrix z(state.H.rows() + state.U[view].rows(), segment.size);
  z.topRows(state.H.rows()) = state.H.middleCols(segment.begin, segment.size);
  z.bottomRows(state.U[view].rows()) = state.U[view].middleCols(segment.begin, segment.size);
  return z;
}

void add_statistics(const Problem& problem, const State& state, std::size_t view,
                    const Segment& segment, const Matrix& z, ViewStatistics& sum) {
  sum.zz.noalias() += z * z.transpose();
  add_transposed_times(problem.views[view], segment.begin, z, sum.xz);
  const SparseMatrix& fill = state.fill[view];
  if (fill.nonZeros() == 0) return;
  for (Index n = 0; n < segment.size; ++n) {
    for (SparseMatrix::InnerIterator cell(fill, segment.begin + n); cell; ++cell) {
      sum.xz.row(cell.col()) += cell.value() * z.col(n).transpose();
      sum.filled_squares += cell.value() * cell.value();
    }
  }
}

}  // namespace m3lak
