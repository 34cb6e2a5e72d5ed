// What multi-view maximum entropy discrimination has learned.
#pragma once

#include <memory>
#include <vector>

#include "rivals/rival.h"
#include "rivals/standard_views.h"

namespace m3lak::med {

/// The training instances of those views that are not the same for all; shared by the machines of
/// all settings.
class TrainingViews {
 public:
  explicit TrainingViews(const Dataset& training);

  /// Standardised, one row an instance.
  const std::vector<DenseMatrix>& rows() const { return rows_; }
  std::vector<DenseMatrix> rows_of(const Dataset& data) const;

 private:
  std::vector<DenseMatrix> used_of(std::vector<DenseMatrix> all) const;

  StandardViews standardised_;
  std::vector<std::size_t> used_;
  std::vector<DenseMatrix> rows_;
};

/// The mean of f_v(x) = Σ_t weights_tv exp(-‖x - x_t‖²/(2 width_v²)) + b_v over the views.
class KernelMachine : public Machine {
 public:
  KernelMachine(std::shared_ptr<const TrainingViews> training, std::vector<double> widths,
                Matrix weights, const Vector& biases);

  Vector scores(const Dataset& data, Workers& workers) const override;

 private:
  std::shared_ptr<const TrainingViews> training_;
  std::vector<double> widths_;
  Matrix weights_;  ///< one row a training instance, one column a view
  double bias_;     ///< the mean of the views'
};

/// The same score for all.
class ConstantMachine : public Machine {
 public:
  explicit ConstantMachine(double score) : score_(score) {}

  Vector scores(const Dataset& data, Workers&) const override {
    return Vector::Constant(data.instances(), score_);
  }

 private:
  double score_;
};

}  // namespace m3lak::med
