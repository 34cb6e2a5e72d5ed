// A dense view in whichever precision it is kept.
#pragma once

#include <type_traits>

#include "m3lak/dataset.h"

namespace m3lak {

/// work(matrix), where `matrix` is the view's DenseMatrix or FloatMatrix.
template <class AnyView, class Work>
decltype(auto) with_dense(AnyView& view, const Work& work) {
  using Result = decltype(work(std::get<DenseMatrix>(view.values)));
  if (view.is_float()) return static_cast<Result>(work(std::get<FloatMatrix>(view.values)));
  return static_cast<Result>(work(std::get<DenseMatrix>(view.values)));
}

}  // namespace m3lak
