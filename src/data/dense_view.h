// A dense view in whichever precision it is kept.
#pragma once

#include "data/streamed_rows.h"
#include "m3lak/dataset.h"

namespace m3lak {

/// work(matrix), where `matrix` is a Map of the view's numbers, double or float. The view must not
/// be in a file.
template <class Work>
decltype(auto) with_dense(const View& view, const Work& work) {
  using Result = decltype(work(view.dense()));
  if (view.is_float()) return static_cast<Result>(work(view.floats()));
  return static_cast<Result>(work(view.dense()));
}

/// work(matrix), where `matrix` is a Map of `count` rows from `begin` on, also of a view in a file.
template <class Work>
void with_dense_rows(const View& view, Index begin, Index count, const Work& work) {
  if (const auto* streamed = std::get_if<Streamed>(&view.values)) {
    streamed->source->with_rows(begin, count, work);
  } else if (view.is_float()) {
    const auto all = view.floats();
    work(Eigen::Map<const FloatMatrix>(all.data() + begin * all.cols(), count, all.cols()));
  } else {
    const auto all = view.dense();
    work(Eigen::Map<const DenseMatrix>(all.data() + begin * all.cols(), count, all.cols()));
  }
}

/// work(matrix, begin) for all rows of a dense view, a block after the other.
template <class Work>
void for_each_dense_block(const View& view, const Work& work) {
  const Blocks blocks{view.instances(), instances_a_block};
  for (Index b = 0; b < blocks.number(); ++b) {
    const Block block = blocks[b];
    with_dense_rows(view, block.begin, block.size,
                    [&](const auto& rows) { work(rows, block.begin); });
  }
}

/// Reads a view in a file, if it fits memory easily.
void own_if_small(View& view);

/// work(matrix), where `matrix` is the view's own DenseMatrix or FloatMatrix, to be changed.
template <class Work>
decltype(auto) with_dense(View& view, const Work& work) {
  view.own();
  using Result = decltype(work(std::get<DenseMatrix>(view.values)));
  if (view.is_float()) return static_cast<Result>(work(std::get<FloatMatrix>(view.values)));
  return static_cast<Result>(work(std::get<DenseMatrix>(view.values)));
}

}  // namespace m3lak
