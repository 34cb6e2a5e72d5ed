#include "rivals/mvmed/kernels.h"

#include <algorithm>

#include "rivals/distances.h"

namespace m3lak::med {

Kernels::Column WholeKernels::column(Index view, Index i) {
  const Matrix& kernel = of_view_[static_cast<std::size_t>(view)];
  return {kernel.col(i).data(), kernel.rows()};
}

Vector WholeKernels::sums(Index view, const Vector& weights) const {
  return of_view_[static_cast<std::size_t>(view)] * weights;
}

CachedKernels::CachedKernels(const std::vector<DenseMatrix>& rows, std::vector<double> widths,
                             Index columns)
    : rows_(rows),
      widths_(std::move(widths)),
      most_(static_cast<std::size_t>(std::max<Index>(2, columns))) {
  for (const DenseMatrix& view : rows_) squared_norms_.push_back(view.rowwise().squaredNorm());
}

Kernels::Column CachedKernels::column(Index view, Index i) {
  const Index key = view * instances() + i;
  if (const auto found = place_.find(key); found != place_.end()) {
    kept_.splice(kept_.begin(), kept_, found->second);
  } else {
    if (kept_.size() < most_) {
      kept_.emplace_front();
    } else {
      place_.erase(kept_.back().key);
      kept_.splice(kept_.begin(), kept_, std::prev(kept_.end()));
    }
    kept_.front().key = key;
    compute(view, i, kept_.front().values);
    place_[key] = kept_.begin();
  }
  const Vector& values = kept_.front().values;
  return {values.data(), values.size()};
}

void CachedKernels::compute(Index view, Index i, Vector& values) const {
  const auto v = static_cast<std::size_t>(view);
  const DenseMatrix& rows = rows_[v];
  const Vector& norms = squared_norms_[v];
  values.noalias() = -2 * (rows * rows.row(i).transpose());
  values.array() += norms.array() + norms[i];
  values = (values.array().max(0) * (-1 / (2 * widths_[v] * widths_[v]))).exp();
  values[i] = 1;
}

Vector CachedKernels::sums(Index view, const Vector& weights) const {
  const auto v = static_cast<std::size_t>(view);
  std::vector<Index> support;
  for (Index n = 0; n < weights.size(); ++n) {
    if (weights[n] != 0) support.push_back(n);
  }
  Workers inline_only(1);  // others may be at work for other widths
  return kernel_sums(inline_only, rows_[v], rows_[v](support, Eigen::all), weights(support),
                     widths_[v]);
}

Vector kernel_sums(Workers& workers, const DenseMatrix& rows, const DenseMatrix& centres,
                   const Vector& weights, double width) {
  constexpr Index rows_a_block = 256;
  Vector sums = Vector::Zero(rows.rows());
  if (centres.rows() == 0) return sums;
  for_each_block(workers, {rows.rows(), rows_a_block}, [&](const Block& block) {
    Workers inline_only(1);
    const DenseMatrix some = rows.middleRows(block.begin, block.size);
    const Matrix d = squared_distances(inline_only, some, centres);
    sums.segment(block.begin, block.size) = gaussian_kernel(inline_only, d, width) * weights;
  });
  return sums;
}

}  // namespace m3lak::med
