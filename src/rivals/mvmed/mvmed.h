// Multi-view maximum entropy discrimination: Sun and Chao, "Multi-view maximum entropy
// discrimination", IJCAI 2013. One discriminant a view; each training instance has one margin that
// all of its views must reach, so that only the view that does worst on it is penalised. An
// instance's score is the mean of its views'.
//
// What is certain is the model: one maximum entropy problem whose margins all views share, its dual
// with an exponential prior of the margins, and the mean of the views' scores. A reconstruction
// are the flat prior of the biases (likely), the solver, the kernels' widths and more than two
// views.
#pragma once

#include <memory>
#include <vector>

#include "rivals/rival.h"

namespace m3lak {

struct MvmedOptions {
  /// The larger, the less a margin may fall short of 1: its prior mean is 1 - 1/c. If c ≤ 1, that
  /// mean is not positive, the prior itself meets all constraints, and the larger class is
  /// predicted for all. The grid of the literature, 2^-5 … 2^5, has six such values, which are one
  /// and the same constant classifier; they are left out here.
  std::vector<double> c = {2, 4, 8, 16, 32};

  /// Width of a view's Gaussian kernel: f times the median distance of its instances, with one f
  /// for all views. Each f costs one kernel a view, and those above 1 take many more steps.
  std::vector<double> f = {1.0 / 8, 1.0 / 4, 1.0 / 2, 1, 2, 4, 8};

  /// A variant that means something for all c > 0: the hinge c · max(0, 1 - margin) in place of the
  /// smooth loss. Of one view, it is the support vector machine with C = c.
  bool box = false;

  /// Training ends when no exchange of weight between two instances has a larger slope than this;
  /// margins are then right to about as much.
  double tolerance = 1e-3;

  /// Training of one setting ends after so many steps in any case. One step takes time
  /// proportional to views times instances. Five to ten steps an instance are usual, but a thousand
  /// with f = 8 and c = 32: of a thousand instances and more, such settings stop here, a little
  /// short of the tolerance.
  Index most_steps = 1'000'000;

  /// Bytes for distances and kernels. If it does not hold them for one f, kernels are computed when
  /// they are needed and those used last are kept: slower, most of all with many features, but the
  /// same numbers. 0: what `with_memory` says, else 1 GiB.
  double memory = 0;
};

/// Views that are the same for all training instances are left out: no discriminant reaches a
/// margin there, and with them none of the others would have to. Throws BadUsage if an option
/// breaks its rule.
std::unique_ptr<Rival> mvmed(MvmedOptions options = {});

}  // namespace m3lak
