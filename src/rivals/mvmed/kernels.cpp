#include "rivals/mvmed/kernels.h"

#include <algorithm>
#include <numeric>

#include "rivals/distances.h"

namespace m3lak::med {

namespace {

/// Of instances that are worked on at once: always the same blocks, as the last bits of an
/// exponential depend on its place in a vector register.
constexpr Index rows_a_block = 1024;

constexpr Index columns_at_once = 64;

using Strided = Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>;

// Not inlined, so that they round in one way for all who call them.

/// exp(-d²/(2 width²)) of one block, wherever the distances are.
[[gnu::noinline]] Eigen::ArrayXd values_of(const Strided& squared_distances, double width) {
  Eigen::ArrayXd values = -1 / (2 * width * width) * squared_distances.array();
  values = values.exp();
  return values;
}

/// sums += weight · values
[[gnu::noinline]] void add(double weight, const double* values, Index count, double* sums) {
  for (Index n = 0; n < count; ++n) sums[n] += weight * values[n];
}

std::vector<Index> support_of(const Vector& weights) {
  std::vector<Index> support;
  for (Index n = 0; n < weights.size(); ++n) {
    if (weights[n] != 0) support.push_back(n);
  }
  return support;
}

}  // namespace

Distances::Distances(const DenseMatrix& rows)
    : rows_(rows), squared_norms_(rows.rowwise().squaredNorm()) {}

// add_product adds up each product of two rows in one order.
RowMatrix<double> Distances::operator()(const Block& block, std::span<const Index> to) const {
  RowMatrix<double> right = RowMatrix<double>::Zero(rows_.cols(), padded<double>(std::ssize(to)));
  for (Index k = 0; k < std::ssize(to); ++k) {
    right.col(k) = rows_.row(to[static_cast<std::size_t>(k)]).transpose();
  }
  RowMatrix<double> d = RowMatrix<double>::Zero(block.size, right.cols());
  add_product<double>(rows_.middleRows(block.begin, block.size), right, d);
  const auto norms = squared_norms_.segment(block.begin, block.size).array();
  for (Index k = 0; k < std::ssize(to); ++k) {
    const Index i = to[static_cast<std::size_t>(k)];
    d.col(k) = (norms + squared_norms_[i] - 2 * d.col(k).array()).max(0);
    if (i >= block.begin && i < block.end()) d(i - block.begin, k) = 0;
  }
  return d;
}

// They are symmetric, as the product of two rows is that of their cells in any case: half of them
// are computed.
Matrix Distances::all(Workers& workers) const {
  const Index N = rows_.rows();
  const Blocks all_columns{N, columns_at_once};
  Matrix all(N, N);
  for_each_block(workers, all_columns, [&](const Block& columns) {
    std::vector<Index> to(static_cast<std::size_t>(columns.size));
    std::iota(to.begin(), to.end(), columns.begin);
    const Blocks below{N - columns.begin, rows_a_block};
    for (Index b = 0; b < below.number(); ++b) {
      const Block rows{b, columns.begin + below[b].begin, below[b].size};
      all.block(rows.begin, columns.begin, rows.size, columns.size) =
          (*this)(rows, to).leftCols(columns.size);
    }
  });
  for_each_block(workers, all_columns, [&](const Block& columns) {
    all.block(0, columns.begin, columns.begin, columns.size) =
        all.block(columns.begin, 0, columns.size, columns.begin).transpose();
  });
  return all;
}

Matrix kernel(Workers& workers, const Matrix& squared_distances, double width) {
  const Index N = squared_distances.rows();
  Matrix values(N, squared_distances.cols());
  for_each_block(workers, {values.cols(), columns_at_once}, [&](const Block& columns) {
    const Blocks blocks{N, rows_a_block};
    for (Index i = columns.begin; i < columns.end(); ++i) {
      for (Index b = 0; b < blocks.number(); ++b) {
        const auto d = squared_distances.col(i).segment(blocks[b].begin, blocks[b].size);
        values.col(i).segment(blocks[b].begin, blocks[b].size) = values_of(d, width);
      }
    }
  });
  return values;
}

Kernels::Column WholeKernels::column(Index view, Index i) {
  const Matrix& kernel = of_view_[static_cast<std::size_t>(view)];
  return {kernel.col(i).data(), kernel.rows()};
}

Vector WholeKernels::sums(Index view, const Vector& weights) const {
  const Matrix& kernel = of_view_[static_cast<std::size_t>(view)];
  const std::vector<Index> support = support_of(weights);
  Vector sums = Vector::Zero(kernel.rows());
  for_each_block(workers_, {kernel.rows(), rows_a_block}, [&](const Block& block) {
    for (const Index i : support) {
      add(weights[i], &kernel(block.begin, i), block.size, &sums[block.begin]);
    }
  });
  return sums;
}

CachedKernels::CachedKernels(Workers& workers, const std::vector<DenseMatrix>& rows,
                             std::vector<double> widths, Index columns)
    : workers_(workers),
      rows_(rows),
      widths_(std::move(widths)),
      most_(static_cast<std::size_t>(std::max<Index>(2, columns))) {
  for (const DenseMatrix& view : rows_) distances_.emplace_back(view);
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
  values.resize(instances());
  for_each_block(workers_, {instances(), rows_a_block}, [&](const Block& block) {
    const RowMatrix<double> d = distances_[v](block, {&i, 1});
    values.segment(block.begin, block.size) = values_of(d.col(0), widths_[v]);
  });
}

Vector CachedKernels::sums(Index view, const Vector& weights) const {
  const auto v = static_cast<std::size_t>(view);
  const std::vector<Index> support = support_of(weights);
  Vector sums = Vector::Zero(instances());
  for_each_block(workers_, {instances(), rows_a_block}, [&](const Block& block) {
    const Blocks parts{std::ssize(support), columns_at_once};
    for (Index p = 0; p < parts.number(); ++p) {
      const std::span to(support.data() + parts[p].begin, static_cast<std::size_t>(parts[p].size));
      const RowMatrix<double> d = distances_[v](block, to);
      for (Index k = 0; k < parts[p].size; ++k) {
        const Eigen::ArrayXd values = values_of(d.col(k), widths_[v]);
        add(weights[to[static_cast<std::size_t>(k)]], values.data(), block.size,
            &sums[block.begin]);
      }
    }
  });
  return sums;
}

Vector kernel_sums(Workers& workers, const DenseMatrix& rows, const DenseMatrix& centres,
                   const Vector& weights, double width) {
  constexpr Index rows_at_once = 256;
  Vector sums = Vector::Zero(rows.rows());
  if (centres.rows() == 0) return sums;
  for_each_block(workers, {rows.rows(), rows_at_once}, [&](const Block& block) {
    Workers inline_only(1);
    const DenseMatrix some = rows.middleRows(block.begin, block.size);
    const Matrix d = squared_distances(inline_only, some, centres);
    sums.segment(block.begin, block.size) = gaussian_kernel(inline_only, d, width) * weights;
  });
  return sums;
}

}  // namespace m3lak::med
