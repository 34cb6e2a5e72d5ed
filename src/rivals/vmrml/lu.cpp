#include "rivals/vmrml/lu.h"

#include <Eigen/LU>
#include <span>

#include "rivals/rival.h"

namespace m3lak {

namespace {

constexpr Index columns_a_panel = 128, columns_a_block = 128, rows_a_block = 512;
constexpr Index few_columns = 8;

using Part = Eigen::Ref<Matrix>;
using Swaps = std::span<Index>;

void swap_rows(Part part, std::span<const Index> swaps) {
  for (Index k = 0; k < std::ssize(swaps); ++k) {
    const Index other = swaps[static_cast<std::size_t>(k)];
    if (other != k) part.row(k).swap(part.row(other));
  }
}

/// Column by column.
void factor_few(Part panel, Swaps swaps) {
  for (Index k = 0; k < panel.cols(); ++k) {
    const Index below = panel.rows() - k - 1, after = panel.cols() - k - 1;
    Index pivot = 0;
    panel.col(k).tail(below + 1).cwiseAbs().maxCoeff(&pivot);
    swaps[static_cast<std::size_t>(k)] = pivot + k;
    if (pivot != 0) panel.row(k).swap(panel.row(pivot + k));
    panel.col(k).tail(below) /= panel(k, k);
    panel.bottomRightCorner(below, after).noalias() -=
        panel.col(k).tail(below) * panel.row(k).tail(after);
  }
}

/// The left half, what follows from it for the right half, and that.
void factor_panel(Workers& workers, Part panel, Swaps swaps) {
  const Index rows = panel.rows(), half = panel.cols() / 2;
  if (panel.cols() <= few_columns) return factor_few(panel, swaps);
  const auto of_left = swaps.first(static_cast<std::size_t>(half));
  const auto of_right = swaps.subspan(static_cast<std::size_t>(half));
  const Part left = panel.leftCols(half);
  Part right = panel.rightCols(panel.cols() - half);
  factor_panel(workers, panel.leftCols(half), of_left);
  swap_rows(right, of_left);
  auto top = right.topRows(half);
  left.topRows(half).triangularView<Eigen::UnitLower>().solveInPlace(top);
  for_each_block(workers, {rows - half, rows_a_block}, [&](const Block& block) {
    right.middleRows(half + block.begin, block.size).noalias() -=
        left.middleRows(half + block.begin, block.size) * top;
  });
  factor_panel(workers, right.bottomRows(rows - half), of_right);
  swap_rows(panel.leftCols(half).bottomRows(rows - half), of_right);
  for (Index& other : of_right) other += half;
}

}  // namespace

// A panel of columns; then what follows from it for the columns on its right, which are shared out.
LuFactors::LuFactors(Workers& workers, Eigen::Ref<Matrix> matrix, const std::function<bool()>& stop)
    : matrix_(matrix), swaps_(static_cast<std::size_t>(matrix.cols())) {
  const Blocks panels{matrix_.cols(), columns_a_panel};
  for (Index p = 0; p < panels.number(); ++p) {
    stop_if(stop);
    const auto [index, begin, size] = panels[p];
    const Index rest = matrix_.rows() - begin, after = rest - size;
    auto below = matrix_.bottomRows(rest);  // from the panel's first row on
    const Part panel = below.middleCols(begin, size);
    const Swaps swaps(swaps_.data() + begin, static_cast<std::size_t>(size));
    factor_panel(workers, below.middleCols(begin, size), swaps);
    swap_rows(below.leftCols(begin), swaps);
    for_each_block(workers, {after, columns_a_block}, [&, of_panel = size](const Block& block) {
      Part columns = below.rightCols(after).middleCols(block.begin, block.size);
      swap_rows(columns, swaps);
      auto top = columns.topRows(of_panel);
      panel.topRows(of_panel).triangularView<Eigen::UnitLower>().solveInPlace(top);
      columns.bottomRows(after).noalias() -= panel.bottomRows(after) * top;
    });
    for (Index& other : swaps) other += begin;
  }
}

Matrix LuFactors::solve(Matrix right) const {
  swap_rows(right, swaps_);
  matrix_.triangularView<Eigen::UnitLower>().solveInPlace(right);
  matrix_.triangularView<Eigen::Upper>().solveInPlace(right);
  return right;
}

Matrix LuFactors::solve_transposed(Matrix right) const {
  matrix_.transpose().triangularView<Eigen::Lower>().solveInPlace(right);
  matrix_.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(right);
  for (Index k = right.rows(); k-- > 0;) {
    const Index other = swaps_[static_cast<std::size_t>(k)];
    if (other != k) right.row(k).swap(right.row(other));
  }
  return right;
}

}  // namespace m3lak
