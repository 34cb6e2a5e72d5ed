// What all methods have in common, so that whoever compares them need not know which one it runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/export.h"
#include "m3lak/model.h"

namespace m3lak {

/// A method with its settings. It is fitted once, and then predicts.
class M3LAK_API Classifier {
 public:
  virtual ~Classifier();

  /// About how many bytes of memory `fit` takes beside the data. 0: not worth a word.
  virtual double bytes(const Dataset& training, int threads) const;

  /// `threads`: how many it may use, 0: as many as there are cores; what it finds does not depend
  /// on it. `stop`, if any, is asked now and then; it throws Stopped if that says so. Instances
  /// without a label, missing views and missing cells are allowed. Throws BadData if there is
  /// nothing to learn from, and TooLarge instead of taking more memory than there is.
  virtual void fit(const Dataset& training, int threads, const std::function<bool()>& stop) = 0;

  /// The views must be those of the training data.
  virtual Prediction predict(const Dataset& data, int threads) const = 0;
};

/// How a method is called, and what makes a fresh one.
struct M3LAK_API Method {
  std::string name;
  std::function<std::unique_ptr<Classifier>()> make;
  std::string settings = {};  ///< what its results depend on, besides its name and the seed
};

struct M3LAK_API MethodSettings {
  /// m3lak's; the others take nothing of them but the seed.
  Options options = {};

  /// Choose what is to be chosen by cross-validation inside of the training data, and fit
  /// probabilities there. If not, rivals take the middle one of their settings, and m3lak makes one
  /// fit on standardised views; svm does not know any other way than to tune.
  bool tune = true;

  /// Of the methods with a latent space (m3lak, bm2smvl, mmh): its dimension, and the weight of the
  /// classifier. 0: as it is by default.
  int latent = 0;
  double C = 0;
};

/// The method of this name, among those of `method_names`. Throws BadUsage if there is no such
/// method.
M3LAK_API Method method_of(const std::string& name, const MethodSettings& settings);
M3LAK_API Method method_of(const std::string& name, const Options& options = {});

/// As the program knows them, m3lak first.
M3LAK_API const std::vector<std::string>& method_names();

}  // namespace m3lak
