// Names of the random streams.
#pragma once

#include <cstdint>

namespace m3lak::harmonium::draws {

constexpr std::uint32_t start = 0;
constexpr std::uint32_t order = 1;  ///< of the instances in an epoch
constexpr std::uint32_t noise = 2;  ///< of h in a step

}  // namespace m3lak::harmonium::draws
