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
};

constexpr std::uint32_t number(Step step) { return static_cast<std::uint32_t>(step); }

}  // namespace m3lak
