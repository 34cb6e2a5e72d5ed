#include "model/statistics.h"

#include "data/view_algebra.h"

namespace m3lak {

Statistics Statistics::zero(const Problem& problem, Index latent, Index private_latent) {
  const Index k = latent + private_latent;
  Statistics statistics;
  for (const View& view : problem.views) {
    statistics.views.push_back({Matrix::Zero(view.features(), k), Matrix::Zero(k, k), 0});
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

template <class Value>
void SegmentStatistics<Value>::begin(const State& state, const Segment& segment) {
  segment_ = segment;
  const Index m = state.H.rows(), K = state.U.empty() ? 0 : state.U.front().rows();
  const auto h = state.H.middleCols(segment.begin, segment.size);
  z_.resize(segment.size, m + K);
  z_.leftCols(m) = h.transpose().template cast<Value>();
  hh_.noalias() = h * h.transpose();
}

template <class Value>
const RowMatrix<Value>& SegmentStatistics<Value>::stacked(const State& state, std::size_t view) {
  const auto u = state.U[view].middleCols(segment_.begin, segment_.size);
  z_.rightCols(u.rows()) = u.transpose().template cast<Value>();
  return z_;
}

template <class Value>
void SegmentStatistics<Value>::add(const Problem& problem, const State& state, std::size_t view,
                                   ViewStatistics& sum) {
  const Index m = hh_.rows(), K = z_.cols() - m;
  sum.zz.topLeftCorner(m, m) += hh_;
  zu_.noalias() = z_.transpose() * z_.rightCols(K);
  sum.zz.rightCols(K) += zu_.template cast<double>();
  sum.zz.bottomLeftCorner(K, m) += zu_.topRows(m).transpose().template cast<double>();
  if constexpr (std::is_same_v<Value, double>) {
    add_transposed_times<double>(problem.views[view], segment_.begin, z_, sum.xz);
  } else {
    xz_.resize(problem.views.size());
    Eigen::MatrixX<Value>& xz = xz_[view];
    xz.setZero(sum.xz.rows(), sum.xz.cols());
    add_transposed_times<Value>(problem.views[view], segment_.begin, z_, xz);
    sum.xz += xz.template cast<double>();
  }
  const SparseMatrix& fill = state.fill[view];
  if (fill.nonZeros() == 0) return;
  for (Index n = 0; n < segment_.size; ++n) {
    for (SparseMatrix::InnerIterator cell(fill, segment_.begin + n); cell; ++cell) {
      sum.xz.row(cell.col()) += cell.value() * z_.row(n).template cast<double>();
      sum.filled_squares += cell.value() * cell.value();
    }
  }
}

template class SegmentStatistics<double>;
template class SegmentStatistics<float>;

}  // namespace m3lak
