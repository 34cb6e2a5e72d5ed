// A dense view in whichever precision it is kept.
#pragma once

#include "m3lak/dataset.h"

namespace m3lak {

/// work(matrix), where `matrix` is a Map of the view's numbers, double or float.
template <class Work>
decltype(auto) with_dense(const View& view, const Work& work) {
  using Result = decltype(work(view.dense()));
  if (view.is_float()) return static_cast<Result>(work(view.floats()));
  return static_cast<Result>(work(view.dense()));
}

/// work(matrix), where `matrix` is the view's own DenseMatrix or FloatMatrix, to be changed.
template <class Work>
decltype(auto) with_dense(View& view, const Work& work) {
  view.own();
  using Result = decltype(work(std::get<DenseMatrix>(view.values)));
  if (view.is_float()) return static_cast<Result>(work(std::get<FloatMatrix>(view.values)));
  return static_cast<Result>(work(std::get<DenseMatrix>(view.values)));
}

}  // namespace m3lak
