#include "rivals/bemkl/kernels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rivals/distances.h"
#include "rivals/rival.h"

namespace m3lak::bemkl_parts {

namespace {

/// Values below become 0. Beside the 1 of an instance with itself they are nothing, and their
/// products would be denormal: a hundred times slower.
constexpr double negligible = 1e-40;
constexpr double log_negligible = -100;  // a bit less

/// Subtraction changes no value that is not tiny.
auto without_negligible(const auto& values) { return (values - negligible).max(0.0); }

/// Half the width is the fourth power, at a fraction of the time of an exponential. It has four
/// times the relative error, so that every fourth width is an exponential again.
constexpr Index widths_an_exponential = 4;

}  // namespace

Kernels::Kernels(std::vector<Widths> of_view, std::vector<Matrix> squared_distances)
    : widths_(std::move(of_view)), squared_distances_(std::move(squared_distances)) {}

Index Kernels::count() const {
  Index sum = 0;
  for (const Widths& widths : widths_) sum += widths.count();
  return sum;
}

void Kernels::of_instance(Index n, Eigen::Ref<Matrix> K) const {
  Index p = count();
  for (std::size_t v = widths_.size(); v-- > 0;) {
    const Widths& widths = widths_[v];
    const auto distances = squared_distances_[v].col(n).array();
    for (Index w = 0; w < widths.count(); ++w) {  // from wide to narrow
      auto values = K.col(--p).array();
      if (w % widths_an_exponential == 0) {
        const double width = std::exp2(widths.widest - static_cast<int>(w));
        const double scale = -1 / (widths.denominator * width * width);
        values = without_negligible((scale * distances).max(log_negligible).exp());
      } else {
        values = without_negligible(K.col(p + 1).array().square().square());
      }
    }
  }
}

Widths without_narrow(Widths widths, const Matrix& squared_distances, double least) {
  if (least == 0) return widths;
  const double narrowest = least * median_distance(squared_distances);
  while (widths.narrowest < widths.widest && std::exp2(widths.narrowest) < narrowest) {
    ++widths.narrowest;
  }
  return widths;
}

// With all K⁽ⁿ⁾ side by side, T = [K⁽¹⁾ K⁽²⁾ …] [K⁽¹⁾ K⁽²⁾ …]ᵀ: each K_p is symmetric.
Matrix sum_of_squares(Workers& workers, const Kernels& kernels, const std::function<bool()>& stop) {
  constexpr Index strip = 64;
  const Index N = kernels.rows(), P = kernels.count();
  const Blocks parts{N, columns_at_once(P) / P};
  Matrix T = Matrix::Zero(N, N), K(N, columns_at_once(P));
  for (Index i = 0; i < parts.number(); ++i) {
    stop_if(stop);
    const Block part = parts[i];
    workers.run(part.size,
                [&](Index n) { kernels.of_instance(part.begin + n, K.middleCols(n * P, P)); });
    const auto values = K.leftCols(part.size * P);
    for_each_block(workers, {N, strip}, [&](const Block& columns) {
      const Index below = N - columns.begin;
      T.block(columns.begin, columns.begin, below, columns.size).noalias() +=
          values.bottomRows(below) * values.middleRows(columns.begin, columns.size).transpose();
    });
  }
  return T;
}

Index columns_at_once(Index kernels) {
  constexpr Index about = 512;
  return std::max<Index>(1, about / kernels) * kernels;
}

}  // namespace m3lak::bemkl_parts
