// Every use of random numbers has a step of its own in the name of its stream, so that no two uses
// ever share numbers. The values are part of what a seed means: never renumber them.
#pragma once

#include <cstdint>

namespace m3lak {

enum class Step : std::uint32_t {
  folds = 1,
  simulated_projections = 2,
  simulated_instance = 3,
  simulated_gaps = 4,
  start = 5,
  latent = 6,
  private_latent = 7,
  missing_cells = 8,
  projection = 9,
  relevance = 10,
  noise = 11,
  augmentation = 12,
  weights = 13,
  weight_precision = 14,
  frequency = 15,
  frequency_acceptance = 16,
  mixture = 17,
  unseen_directions = 18,
  principal_directions = 19,
  linear_augmentation = 20,
  linear_weights = 21,
  weights_together = 22,
  mixture_point = 23,
  mixture_split = 24,
};

constexpr std::uint32_t number(Step step) { return static_cast<std::uint32_t>(step); }

}  // namespace m3lak
