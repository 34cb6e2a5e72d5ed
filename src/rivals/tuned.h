// What a method for two classes needs to stand beside the others: a choice among its settings,
// several classes, probabilities, and a refusal where there is not enough memory.
#pragma once

#include <memory>
#include <string>

#include "m3lak/classifier.h"
#include "rivals/rival.h"

namespace m3lak {

struct TuneOptions {
  /// Folds of the cross-validation inside of the training data by which a setting is chosen, and
  /// the link from scores to probabilities is fitted; at most as many as there are instances. 0, or
  /// if there are no two classes of two instances: the middle one of the settings is taken, and
  /// probabilities are logistic(score).
  int folds = 5;
  std::uint64_t seed = 1;

  /// Bytes that it may take; 0: what there is.
  double memory = 0;
};

/// Several classes are one against the rest each, all with the same setting. The setting is the
/// first of those with the largest cross-validated accuracy.
std::unique_ptr<Classifier> tuned(std::string name, std::shared_ptr<const Rival> rival,
                                  const TuneOptions& options = {});

}  // namespace m3lak
