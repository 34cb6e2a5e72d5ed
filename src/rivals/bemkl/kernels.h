// The Gaussian kernels of all views and widths. They are never stored: all that is kept are squared
// distances, and the kernels' values are made of them, instance by instance, each time they are
// needed.
#pragma once

#include <functional>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak::bemkl_parts {

/// s = 2^narrowest, …, 2^widest in exp(-d²/(denominator · s²)).
struct Widths {
  int narrowest = -10;
  int widest = 10;
  double denominator = 2;

  Index count() const { return widest - narrowest + 1; }
};

class Kernels {
 public:
  /// Squared distances of each view: one row a training instance, one column an instance that it is
  /// compared with (of training: the same instances).
  Kernels(std::vector<Widths> of_view, std::vector<Matrix> squared_distances);

  Index rows() const { return squared_distances_.front().rows(); }
  Index instances() const { return squared_distances_.front().cols(); }

  /// P: the widths of all views.
  Index count() const;

  /// K⁽ⁿ⁾: column p is k_p of instance n and all training instances. Kernels are ordered by views,
  /// then from narrow to wide.
  void of_instance(Index n, Eigen::Ref<Matrix> K) const;

 private:
  std::vector<Widths> widths_;
  std::vector<Matrix> squared_distances_;
};

/// Without those below `least` times the median distance, given the squared distances of training;
/// the widest is always kept.
Widths without_narrow(Widths widths, const Matrix& squared_distances, double least);

/// T = Σ_p K_p K_pᵀ of training's kernels; the lower half only. `stop` as in Rival::train.
Matrix sum_of_squares(Workers& workers, const Kernels& kernels, const std::function<bool()>& stop);

/// How many columns of kernel values it keeps at once.
Index columns_at_once(Index kernels);

}  // namespace m3lak::bemkl_parts
