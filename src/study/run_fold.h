// One method on one split: what cross-validation and comparisons are made of.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "m3lak/evaluate.h"
#include "m3lak/folds.h"

namespace m3lak {

/// Trains on some instances, predicts others, and measures; the method never sees the labels of
/// what it predicts. What would not fit into memory beside others that run in this process waits
/// for them. Throws Stopped if `stop` says so, or if it takes longer than `limit` seconds.
Measures run_split(const Dataset& data, const std::vector<Index>& trained,
                   const std::vector<Index>& tested, const Method& method, int threads,
                   const std::function<bool()>& stop,
                   double limit = std::numeric_limits<double>::infinity());

inline Measures run_fold(const Dataset& data, const Folds& folds, int fold, const Method& method,
                         int threads, const std::function<bool()>& stop,
                         double limit = std::numeric_limits<double>::infinity()) {
  return run_split(data, folds.train(fold), folds.test(fold), method, threads, stop, limit);
}

/// The failure of a cell that was ended after so many seconds.
std::string longer_than(double seconds);

}  // namespace m3lak
