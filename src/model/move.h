// What moves of h and of ω by HMC have in common.
#pragma once

#include <Eigen/Core>

#include "m3lak/options.h"

namespace m3lak {

/// How much work between two synchronisations is worth sharing: below, one thread is quicker.
constexpr Eigen::Index work_worth_sharing = 100'000;

/// How HMC moves, with the step as adapted.
struct Move {
  Hmc hmc = Hmc::preconditioned;
  double step = 0.1;
  int leapfrog = 3;
};

/// Sums of acceptance probabilities over moves.
struct Acceptance {
  double sum = 0;
  double moves = 0;

  double mean() const { return sum / moves; }
  void operator+=(const Acceptance& other) {
    sum += other.sum;
    moves += other.moves;
  }
};

template <class Kind>
void transfer(Kind& archive, Acceptance& acceptance) {
  archive(acceptance.sum, acceptance.moves);
}

}  // namespace m3lak
