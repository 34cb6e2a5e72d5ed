// The step size of HMC, adapted until a wanted share of moves is accepted: Nesterov's dual
// averaging as in Hoffman and Gelman (2014), section 3.2.
#pragma once

#include <algorithm>
#include <cmath>

namespace m3lak {

class DualAveraging {
 public:
  DualAveraging(double step, double target)
      : target_(target), centre_(std::log(10 * step)), log_step_(std::log(step)) {}

  /// The step to take while adapting.
  double step() const { return std::exp(log_step_); }

  /// After each iteration of the adaptation, with the mean acceptance of its moves.
  void update(double acceptance) {
    ++count_;
    const double weight = 1 / (count_ + 10);
    shortfall_ += weight * (target_ - acceptance - shortfall_);
    // Where every step is accepted (no labels), the step must not grow without end.
    log_step_ = std::clamp(centre_ - std::sqrt(count_) / 0.05 * shortfall_, -30.0, 5.0);
    log_mean_ += std::pow(count_, -0.75) * (log_step_ - log_mean_);
  }

  /// From now on, the step is the average of those that were tried.
  void freeze() {
    if (count_ > 0) log_step_ = log_mean_;
  }

  /// See archive.h.
  template <class Archive>
  friend void transfer(Archive& archive, DualAveraging& step) {
    archive(step.log_step_, step.shortfall_, step.log_mean_, step.count_);
  }

 private:
  double target_, centre_, log_step_;
  double shortfall_ = 0, log_mean_ = 0, count_ = 0;
};

}  // namespace m3lak
