#include "model/noise.h"

#include <algorithm>

#include "numeric/distributions.h"

namespace m3lak {

double squared_residual(const ViewState& view, const ViewStatistics& statistics,
                        double squared_norm) {
  const double residual = squared_norm + statistics.filled_squares -
                          2 * view.projection.cwiseProduct(statistics.xz).sum() +
                          view.gram.cwiseProduct(statistics.zz).sum();
  return std::max(0.0, residual);  // rounding
}

void draw_noise(Stream stream, const Options& options, double cells, double squared_residual,
                ViewState& view) {
  view.noise =
      gamma(stream, options.noise_shape + 0.5 * cells, options.noise_rate + 0.5 * squared_residual);
}

}  // namespace m3lak
