// What splitting and merging components have in common.
#pragma once

#include <cmath>

#include "model/split_merge.h"

namespace m3lak {

/// What merging two components gains if q were 1: log p(x, z) of one component less that of two.
inline double most_gain(const NormalInverseWishart& base, const PointMoments& a,
                        const PointMoments& b, double concentration) {
  const auto log_part = [&](const PointMoments& points) {
    return std::log(concentration) + std::lgamma(points.count) + log_evidence(base, points);
  };
  return log_part(together(a, b)) - log_part(a) - log_part(b);
}

/// log 1 / (1 + e^-odds)
inline double log_logistic(double odds) {
  return odds > 0 ? -std::log1p(std::exp(-odds)) : odds - std::log1p(std::exp(odds));
}

/// log q of the points of each component.
struct LogOdds {
  Vector of;
};

template <class Kind>
void transfer(Kind& archive, LogOdds& odds) {
  archive(odds.of);
}

}  // namespace m3lak
