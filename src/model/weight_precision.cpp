#include "model/weight_precision.h"

#include "numeric/distributions.h"

namespace m3lak {

void draw_weight_precision(Stream stream, const Options& options, State& state) {
  if (!options.sample_weight_precision) return;
  state.weight_precision = gamma(
      stream,
      options.weight_shape + 0.5 * static_cast<double>(state.beta.size() + state.gamma.size()),
      options.weight_rate + 0.5 * state.beta.squaredNorm() +
          0.5 * state.gamma.squaredNorm() / options.linear_variance);
}

}  // namespace m3lak
