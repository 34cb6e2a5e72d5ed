// Cross-validation and its measures.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "m3lak/classifier.h"
#include "m3lak/dataset.h"
#include "m3lak/export.h"
#include "m3lak/model.h"

namespace m3lak {

/// What became of predictions by their confidence, which is the probability of the class that was
/// predicted: of those that are 70 % sure, 70 % should be right.
struct M3LAK_API Reliability {
  struct Bin {
    double instances = 0;
    double confidence = 0;  ///< the sum of theirs
    double right = 0;       ///< how many were right
  };

  std::array<Bin, 10> bins;  ///< confidence from 0 to .1, from .1 to .2, …

  Reliability& operator+=(const Reliability& other);

  /// Expected |confidence - accuracy| of a bin; NaN if there are no instances.
  double error() const;
};

/// How well predicted classes and probabilities fit the true classes. Instances without a known
/// label are left out.
struct M3LAK_API Measures {
  double accuracy = 0;
  double balanced_accuracy = 0;  ///< mean over classes of the share that was found
  double auc = 0;                ///< of two classes; of more, the mean of one against the rest
  double log_loss = 0;           ///< mean of -log of the true class's probability
  double calibration_error = 0;  ///< that of `reliability`
  double seconds = 0;            ///< of training and prediction
  double fit_seconds = 0;        ///< of training alone
  Reliability reliability;       ///< without instances if there are predictions without a class
};

/// `truth` and `label` index the same classes, one column of `probability` each. A single column of
/// scores is large for the second of two classes. AUC is NaN if one class alone occurs; of several
/// classes, those that do not occur are left out of the means. All are NaN if no label is known.
/// Throws BadUsage if the sizes do not fit.
M3LAK_API Measures measure(const std::vector<int>& truth, const std::vector<int>& label,
                           const Matrix& score, const Matrix& probability);

struct M3LAK_API Evaluation {
  std::vector<Measures> folds;
  Measures mean;            ///< over the folds where the measure is a number
  Measures deviation;       ///< standard deviation over these folds
  Reliability reliability;  ///< of all folds together
  double seconds = 0;       ///< by the clock
  std::vector<std::string> notes;
  bool stopped = false;  ///< `folds` then holds those that were finished
};

struct M3LAK_API EvaluateCallbacks {
  /// Called after each fold, from one thread at a time.
  std::function<void(int done, int total)> progress;

  /// Asked between and inside of folds; true ends the evaluation.
  std::function<bool()> stop;
};

/// Stratified cross-validation: folds in parallel where there are enough of them, else threads
/// inside of each fit; the result does not depend on it. A method never sees the labels of what it
/// predicts. Throws BadData if there are no labels, and as stratified_folds.
M3LAK_API Evaluation evaluate(const Dataset& data, const Method& method, int folds,
                              std::uint64_t seed, int threads = 0,
                              const EvaluateCallbacks& callbacks = {});

/// Labels of a binary task: `positive` (one or several of the classes) against all others. The
/// classes are then "not A" and "A", or "not A,B" and "A,B". Throws BadUsage if a class is not
/// there.
M3LAK_API Labels one_against_rest(const Labels& labels, const std::vector<std::string>& positive);

}  // namespace m3lak
