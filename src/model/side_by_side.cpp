#include "model/side_by_side.h"

#include <numeric>

#include "data/view_algebra.h"

namespace m3lak {

namespace {

/// Sums that are zero as long as they have no size.
void combine(Matrix& into, Matrix& from) {
  if (into.size() == 0) {
    into.swap(from);
  } else if (from.size() > 0) {
    into += from;
  }
}

/// The sum of work(segment, which views it has, sum) over instances, where `sum` is zero first.
template <class Work>
Matrix sum_over_segments(Workers& workers, const Problem& problem, Instances which, Index rows,
                         Index columns, const Work& work) {
  constexpr Index enough = 80;
  const Blocks all{problem.total, problem.blocks.block_size};
  const Index every = which == Instances::all ? 1 : (all.number() + enough - 1) / enough;
  const Index first = problem.first / problem.blocks.block_size;
  Matrix sum = reduce_blocks(
      workers, problem.blocks, Matrix(),
      [&](const Block& block, Matrix& partial) {
        if ((first + block.index) % every != 0) return;
        partial.setZero(rows, columns);
        for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
          work(segment, problem.patterns[static_cast<std::size_t>(segment.pattern)], partial);
        }
      },
      combine);
  if (sum.size() == 0) sum.setZero(rows, columns);
  return sum;
}

/// B cut into the parts of the views, as products want them.
std::vector<RowMatrix<double>> of_views(const Problem& problem, const DenseMatrix& B) {
  std::vector<RowMatrix<double>> parts;
  Index first = 0;
  for (const View& view : problem.views) {
    parts.push_back(padded<double>(B.middleRows(first, view.features())));
    first += view.features();
  }
  return parts;
}

/// X B of a segment; padded.
void read(const Problem& problem, const Segment& segment, const std::vector<std::uint8_t>& has,
          const std::vector<RowMatrix<double>>& B, RowMatrix<double>& out) {
  out.setZero(segment.size, B.front().cols());
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (has[i]) add_rows_times<double>(problem.views[i], segment.begin, B[i], out);
  }
}

}  // namespace

Index features_of(const Problem& problem) {
  return std::accumulate(problem.views.begin(), problem.views.end(), Index{0},
                         [](Index sum, const View& view) { return sum + view.features(); });
}

Matrix features_gram(Workers& workers, const Problem& problem, Instances which) {
  const Index D = features_of(problem);
  const Matrix gram = sum_over_segments(
      workers, problem, which, D, D, [&](const Segment& segment, const auto& has, Matrix& sum) {
        DenseMatrix rows = DenseMatrix::Zero(segment.size, D);
        Index first = 0;
        for (std::size_t i = 0; i < has.size(); ++i) {
          const Index features = problem.views[i].features();
          if (has[i]) put_rows(problem.views[i], segment.begin, rows.middleCols(first, features));
          first += features;
        }
        sum.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
      });
  return gram.selfadjointView<Eigen::Lower>();
}

DenseMatrix features_gram_times(Workers& workers, const Problem& problem, Instances which,
                                const DenseMatrix& B) {
  const std::vector<RowMatrix<double>> rights = of_views(problem, B);
  return sum_over_segments(workers, problem, which, B.rows(), B.cols(),
                           [&](const Segment& segment, const auto& has, Matrix& sum) {
                             RowMatrix<double> product;
                             read(problem, segment, has, rights, product);
                             Index first = 0;
                             for (std::size_t i = 0; i < has.size(); ++i) {
                               const Index features = problem.views[i].features();
                               if (has[i]) {
                                 Matrix of_view = Matrix::Zero(features, B.cols());
                                 add_transposed_times<double>(problem.views[i], segment.begin,
                                                              product.leftCols(B.cols()), of_view);
                                 sum.middleRows(first, features) += of_view;
                               }
                               first += features;
                             }
                           });
}

DenseMatrix instances_times(Workers& workers, const Problem& problem, const DenseMatrix& B) {
  const std::vector<RowMatrix<double>> rights = of_views(problem, B);
  DenseMatrix product = DenseMatrix::Zero(problem.instances(), B.cols());
  for_each_block(workers, problem.blocks, [&](const Block& block) {
    RowMatrix<double> rows;
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
      read(problem, segment, problem.patterns[static_cast<std::size_t>(segment.pattern)], rights,
           rows);
      product.middleRows(segment.begin, segment.size) = rows.leftCols(B.cols());
    }
  });
  return product;
}

}  // namespace m3lak
