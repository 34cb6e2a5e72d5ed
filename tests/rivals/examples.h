// Data to try rivals on.
#pragma once

#include "m3lak/simulate.h"

namespace m3lak {

/// Two classes that no plane tells apart.
inline Dataset ring(Index instances, double gaps = 0, double noise = 0.1) {
  SimulationOptions options;
  options.instances = instances;
  options.views = {6, 9};
  options.latent = 2;
  options.noise = noise;
  options.boundary = Boundary::ring;
  options.missing_views = gaps;
  options.missing_cells = gaps;
  options.threads = 1;
  return simulate(options);
}

/// +1 for the second class, -1 for the first.
inline Vector signs(const Dataset& data) {
  Vector y(data.instances());
  for (Index n = 0; n < y.size(); ++n) {
    y[n] = data.labels->of[static_cast<std::size_t>(n)] == 1 ? 1 : -1;
  }
  return y;
}

}  // namespace m3lak
