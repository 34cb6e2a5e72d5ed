#include "model/point_tile.h"

#include <cmath>
#include <numbers>

namespace m3lak {

Lens::Lens(const Component& component)
    : mean(component.mean),
      inverse(component.factor.triangularView<Eigen::Lower>().solve(
          Matrix::Identity(mean.size(), mean.size()))),
      log_constant(-component.factor.diagonal().array().log().sum() -
                   0.5 * static_cast<double>(mean.size()) * std::log(2 * std::numbers::pi)) {}

PointTile::PointTile(Index dimension)
    : x_(RowMatrix<double>::Zero(dimension, most + chunk)), y_(dimension, chunk) {}

void PointTile::take(const Points& points, Index first, std::span<const int> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    x_.col(static_cast<Index>(i)) = points.col(first + order[i]);
  }
}

void PointTile::squares(const Lens& lens, Index begin, Index end, double* out) {
  constexpr int width = lanes<double>;
  const Index d = x_.rows();
  for (Index n = begin; n < end; n += chunk) {
    for (Index j = 0; j < d; ++j) {
      const double* x = &x_(j, n);
      double* y = &y_(j, 0);
      for (int v = 0; v < vectors; ++v) store(y + v * width, load(x + v * width) - lens.mean[j]);
    }
    Lanes<double> square[vectors] = {};
    for (Index i = 0; i < d; ++i) {
      const double* row = &lens.inverse(i, 0);
      const double* y = y_.data();
      Lanes<double> sum[vectors] = {};
      for (Index j = 0; j <= i; ++j, y += chunk) {
        for (int v = 0; v < vectors; ++v) sum[v] += row[j] * load(y + v * width);
      }
      for (int v = 0; v < vectors; ++v) square[v] += sum[v] * sum[v];
    }
    double whole[chunk];
    for (int v = 0; v < vectors; ++v) store(whole + v * width, square[v]);
    std::copy_n(whole, std::min(chunk, end - n), out + n);
  }
}

}  // namespace m3lak
