// Cross-validation: who is tested when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/export.h"

namespace m3lak {

struct M3LAK_API Folds {
  static constexpr int never = -1;

  int count = 0;

  /// The fold in which each instance is tested; `never` if its label is unknown: it then takes part
  /// in all training.
  std::vector<int> of;

  /// What the user should know, such as classes with fewer members than folds.
  std::vector<std::string> notes;

  std::vector<Index> train(int fold) const;
  std::vector<Index> test(int fold) const;
};

/// Each class is spread evenly over the folds: the members of a class in two folds, and the sizes
/// of two folds, differ by one at the most. The same seed gives the same folds on every platform.
/// Throws BadUsage unless 2 <= folds <= the number of known labels, BadData if there is one class
/// only.
M3LAK_API Folds stratified_folds(const Labels& labels, int folds, std::uint64_t seed);

}  // namespace m3lak
