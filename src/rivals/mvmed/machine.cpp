#include "rivals/mvmed/machine.h"

#include <utility>

#include "rivals/mvmed/kernels.h"

namespace m3lak::med {

TrainingViews::TrainingViews(const Dataset& training) : standardised_(training) {
  std::vector<DenseMatrix> all = standardised_(training);
  for (std::size_t v = 0; v < all.size(); ++v) {
    // Standardised constant features are 0.
    if (!all[v].isZero(0)) used_.push_back(v);
  }
  rows_ = used_of(std::move(all));
}

std::vector<DenseMatrix> TrainingViews::rows_of(const Dataset& data) const {
  return used_of(standardised_(data));
}

std::vector<DenseMatrix> TrainingViews::used_of(std::vector<DenseMatrix> all) const {
  std::vector<DenseMatrix> rows;
  for (const std::size_t v : used_) rows.push_back(std::move(all[v]));
  return rows;
}

KernelMachine::KernelMachine(std::shared_ptr<const TrainingViews> training,
                             std::vector<double> widths, Matrix weights, const Vector& biases)
    : training_(std::move(training)),
      widths_(std::move(widths)),
      weights_(std::move(weights)),
      bias_(biases.mean()) {}

Vector KernelMachine::scores(const Dataset& data, Workers& workers) const {
  const std::vector<DenseMatrix> rows = training_->rows_of(data);
  Vector sum = Vector::Zero(data.instances());
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const auto of_view = weights_.col(static_cast<Index>(v));
    std::vector<Index> support;
    for (Index t = 0; t < of_view.size(); ++t) {
      if (of_view[t] != 0) support.push_back(t);
    }
    const DenseMatrix centres = training_->rows()[v](support, Eigen::all);
    sum += kernel_sums(workers, rows[v], centres, of_view(support), widths_[v]);
  }
  return sum.array() / static_cast<double>(rows.size()) + bias_;
}

}  // namespace m3lak::med
