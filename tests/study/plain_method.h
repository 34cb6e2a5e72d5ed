// A method of one function, for tests: what `predict` says is made of the training data.
#pragma once

#include "m3lak/classifier.h"

namespace m3lak {

template <class Run>
class PlainClassifier : public Classifier {
 public:
  explicit PlainClassifier(const Run& run) : run_(run) {}

  void fit(const Dataset& training, int threads, const std::function<bool()>& stop) override {
    training_ = training;
    threads_ = threads;
    stop_ = stop;
  }

  Prediction predict(const Dataset& data, int) const override {
    return run_(training_, data, threads_, stop_);
  }

 private:
  Run run_;
  Dataset training_;
  int threads_ = 0;
  std::function<bool()> stop_;
};

/// run(training, test, threads, stop)
template <class Run>
Method plain_method(const std::string& name, const Run& run) {
  return {name, [run] { return std::make_unique<PlainClassifier<Run>>(run); }};
}

/// Fits and predicts.
inline Prediction run(const Method& method, const Dataset& training, const Dataset& test,
                      int threads = 1, const std::function<bool()>& stop = {}) {
  const std::unique_ptr<Classifier> classifier = method.make();
  classifier->fit(training, threads, stop);
  return classifier->predict(test, threads);
}

}  // namespace m3lak
