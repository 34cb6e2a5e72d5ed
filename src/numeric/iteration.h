// Names of random streams, as a chain gives them.
#pragma once

#include <Eigen/Core>

#include "numeric/random.h"
#include "numeric/steps.h"

namespace m3lak {

/// Names the random numbers of one iteration of one chain.
struct Iteration {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  std::uint64_t number = 0;

  Stream stream(Step step, Eigen::Index index = 0) const {
    return Stream({seed, chain, number, m3lak::number(step), static_cast<std::uint64_t>(index)});
  }

  /// For what is numbered inside of each view.
  Stream stream(Step step, Eigen::Index view, Eigen::Index index) const {
    return stream(step, (view << 40) | index);
  }
};

}  // namespace m3lak
