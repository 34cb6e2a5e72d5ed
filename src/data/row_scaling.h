// Scaling of a row of numbers: one way for what is in memory and what is in a file.
#pragma once

#include <cmath>

#include "m3lak/dataset.h"
#include "m3lak/scaling.h"

namespace m3lak {

/// 1 over the length of an instance, from the squares of its known cells; 0 stays 0.
inline double inverse_length(double squares, Index known, Index all) {
  if (!(squares > 0)) return 1;
  return std::sqrt(static_cast<double>(known) / (squares * static_cast<double>(all)));
}

/// √x, and -√-x for negative x.
template <class Value>
Value signed_root(Value x) {
  return std::copysign(std::sqrt(std::abs(x)), x);
}

/// Takes the roots of row n, or makes it a unit vector as far as its cells are known, or both.
template <class Dense>
void scale_within_row(const RowScaling& how, Dense& values, Index n) {
  using Value = typename Dense::Scalar;
  if (how.root) values.row(n) = values.row(n).unaryExpr(&signed_root<Value>);
  if (!how.unit_length) return;
  const auto row = values.row(n).template cast<double>();
  const auto is_known = row.array() == row.array();
  const double squares = is_known.select(row.array().square(), 0).sum();
  values.row(n) *= static_cast<Value>(inverse_length(squares, is_known.count(), values.cols()));
}

/// (x - mean) · factor of a row, computed in double; `to` may be `from`.
template <class From, class Value>
void scale_row(const From* from, const Vector& mean, const Vector& factor, Value* to) {
  const double *shift = mean.data(), *times = factor.data();
  for (Index d = 0; d < mean.size(); ++d) {
    to[d] = static_cast<Value>((static_cast<double>(from[d]) - shift[d]) * times[d]);
  }
}

}  // namespace m3lak
