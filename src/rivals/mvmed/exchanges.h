// Directions in which the weights of the training instances can move.
//
// Each instance t has c to give away: λ_tv to view v = 1 … V, and what is left to place 0. An
// exchange moves some of it from one place to another so that Σ_t y_t λ_tv falls by d at `from` and
// rises by d at `to`. Those sums are to stay 0 in all views, so that exchanges must close: a cycle
// of places. In each view of a cycle, y_t λ_tv then rises at one instance and falls at another.
#pragma once

#include <limits>
#include <vector>

#include "m3lak/model.h"

namespace m3lak::med {

struct Exchange {
  Index instance = 0;
  Index from = 0, to = 0;
  double slope = -std::numeric_limits<double>::infinity();  ///< of the dual; -∞: impossible
};

using Cycle = std::vector<Exchange>;

double slope_of(const Cycle& cycle);

/// The steepest exchange from each place to each other.
class Exchanges {
 public:
  explicit Exchanges(Index places)
      : places_(places), best_(static_cast<std::size_t>(places * places)) {}

  Index places() const { return places_; }
  const Exchange& operator()(Index from, Index to) const {
    return best_[static_cast<std::size_t>(from * places_ + to)];
  }
  Exchange& operator()(Index from, Index to) {
    return best_[static_cast<std::size_t>(from * places_ + to)];
  }

  /// The cycle of the largest mean slope, of the shortest such; empty if there is none. If its mean
  /// is not positive, no cycle goes upwards.
  Cycle steepest_cycle() const;

  /// b of each place, b_0 = 0, with b_to - b_from ≥ slope of all exchanges, if no cycle goes
  /// upwards: in the middle of what is possible.
  Vector potentials() const;

 private:
  Index places_;
  std::vector<Exchange> best_;
};

}  // namespace m3lak::med
