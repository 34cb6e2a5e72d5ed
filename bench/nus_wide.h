// Simulated data of NUS-WIDE's shape, the settings of the paper's table of times, and a clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "m3lak/model.h"
#include "m3lak/simulate.h"

namespace m3lak::bench {

inline Dataset nus_wide(Index instances) {
  SimulationOptions options;
  options.instances = instances;
  options.views = {64, 144, 73, 128, 225};
  options.latent = 10;
  options.boundary = Boundary::ring;
  return simulate(options);
}

/// m = 20, M = 100, 200 iterations, two leapfrog steps, weights drawn given λ alone.
inline Options of_the_table() {
  Options options;
  options.latent = 20;
  options.linear = 0;
  options.label_weight = 1;
  options.scaling = Scaling::standardize;
  options.calibrate = false;
  options.thin = 1;
  options.iterations = 200;
  options.burn_in = 100;
  options.latent_leapfrog = options.frequency_leapfrog = 2;
  options.weight_leapfrog = 0;
  return options;
}

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Work>
double best_of(int repeats, const Work& work) {
  double best = seconds(work);
  for (int i = 1; i < repeats; ++i) best = std::min(best, seconds(work));
  return best;
}

}  // namespace m3lak::bench
