#include "data/moments.h"

#include <cmath>

#include "data/dense_view.h"
#include "numeric/share.h"

namespace m3lak {

namespace {

/// Calls visit(feature, value) for each stored cell of these rows.
template <class Visit>
void for_each_stored(const View& view, const Block& rows, const Visit& visit) {
  if (!view.is_sparse()) {
    with_dense_rows(view, rows.begin, rows.size, [&](const auto& values) {
      for (Index n = 0; n < values.rows(); ++n) {
        if (!view.has(rows.begin + n)) continue;
        for (Index d = 0; d < values.cols(); ++d) visit(d, static_cast<double>(values(n, d)));
      }
    });
    return;
  }
  for (Index row = rows.begin; row < rows.end(); ++row) {
    if (!view.has(row)) continue;
    for (SparseMatrix::InnerIterator cell(view.sparse(), row); cell; ++cell) {
      visit(cell.col(), cell.value());
    }
  }
}

/// Over instances, of each feature: how many cells are stored and known, how many are stored and
/// not known, and a sum over the known ones.
struct Sums {
  Vector stored, unknown, sum;
  double present = 0;
};

void combine(Sums& into, const Sums& from) {
  into.stored += from.stored;
  into.unknown += from.unknown;
  into.sum += from.sum;
  into.present += from.present;
}

template <class Kind>
void transfer(Kind& archive, Sums& sums) {
  archive(sums.stored, sums.unknown, sums.sum, sums.present);
}

/// `sum` is of term(feature, value).
template <class Term>
Sums sums_of(Workers& workers, const View& view, const Term& term) {
  const Vector zero = Vector::Zero(view.features());
  return reduce_blocks(
      workers, {view.instances(), instances_a_block}, Sums{zero, zero, zero, 0},
      [&](const Block& block, Sums& sums) {
        for_each_stored(view, block, [&](Index d, double value) {
          if (std::isnan(value)) {
            sums.unknown[d] += 1;
          } else {
            sums.stored[d] += 1;
            sums.sum[d] += term(d, value);
          }
        });
        for (Index n = block.begin; n < block.end(); ++n) sums.present += view.has(n) ? 1 : 0;
      },
      combine);
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

Moments moments_of(Workers& workers, const View& view) {
  const Sums sums = sums_of(workers, view, [](Index, double value) { return value; });
  Moments moments;
  // Cells of a sparse view that are not stored are known to be zero.
  moments.known = view.is_sparse()
                      ? Vector(Vector::Constant(view.features(), sums.present) - sums.unknown)
                      : sums.stored;
  const Vector divisor = moments.known.cwiseMax(1);
  moments.mean = sums.sum.cwiseQuotient(divisor);

  // Two passes: no cancellation for features whose mean is large beside their deviation.
  const Sums squares = sums_of(workers, view, [&](Index d, double value) {
    return (value - moments.mean[d]) * (value - moments.mean[d]);
  });
  moments.variance =
      (squares.sum + (moments.known - sums.stored).cwiseProduct(moments.mean.cwiseAbs2()))
          .cwiseQuotient(divisor);
  return moments;
}

Moments moments_of(const View& view) {
  Workers alone(1);
  return moments_of(alone, view);
}

}  // namespace m3lak
