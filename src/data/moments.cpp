#include "data/moments.h"

#include <cmath>

#include "data/dense_view.h"

namespace m3lak {

namespace {

/// Calls visit(feature, value) for each stored and known cell.
template <class Visit>
void for_each_known(const View& view, const Visit& visit) {
  for (Index row = 0; row < view.instances(); ++row) {
    if (!view.has(row)) continue;
    if (view.is_sparse()) {
      for (SparseMatrix::InnerIterator cell(view.sparse(), row); cell; ++cell) {
        if (!std::isnan(cell.value())) visit(cell.col(), cell.value());
      }
    } else {
      with_dense(view, [&](const auto& values) {
        for (Index d = 0; d < values.cols(); ++d) {
          const auto value = static_cast<double>(values(row, d));
          if (!std::isnan(value)) visit(d, value);
        }
      });
    }
  }
}

}  // namespace

bool Moments::is_constant(Index feature) const {
  constexpr double rounding = 1e-12;
  return !(std::sqrt(variance[feature]) > rounding * std::abs(mean[feature]));
}

double Moments::total_variance() const {
  double total = 0;
  for (Index d = 0; d < variance.size(); ++d) {
    if (!is_constant(d)) total += variance[d];
  }
  return total;
}

Moments moments_of(const View& view) {
  const Index features = view.features();
  // Cells of a sparse view that are not stored are known to be zero.
  Vector stored = Vector::Zero(features), sum = stored, unknown = stored;
  for_each_known(view, [&](Index d, double value) {
    stored[d] += 1;
    sum[d] += value;
  });
  Moments moments;
  if (view.is_sparse()) {
    for (Index k = 0; k < view.sparse().nonZeros(); ++k) {
      if (std::isnan(view.sparse().valuePtr()[k])) unknown[view.sparse().innerIndexPtr()[k]] += 1;
    }
    const auto present = static_cast<double>(view.instances() - view.absent_count());
    moments.known = Vector::Constant(features, present) - unknown;
  } else {
    moments.known = stored;
  }
  const Vector divisor = moments.known.cwiseMax(1);
  moments.mean = sum.cwiseQuotient(divisor);

  // Two passes: no cancellation for features whose mean is large beside their deviation.
  Vector squares = (moments.known - stored).cwiseProduct(moments.mean.cwiseAbs2());
  for_each_known(view, [&](Index d, double value) {
    squares[d] += (value - moments.mean[d]) * (value - moments.mean[d]);
  });
  moments.variance = squares.cwiseQuotient(divisor);
  return moments;
}

}  // namespace m3lak
