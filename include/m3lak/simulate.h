// Data from the generative model, with a boundary of a known shape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/export.h"

namespace m3lak {

/// Where the two classes meet in the latent space. Each class has half of the probability.
enum class Boundary {
  linear,        ///< h_1 = 0
  ring,          ///< h_1² + h_2² = 2 log 2
  exclusive_or,  ///< h_1 h_2 = 0
};

/// "linear", "ring" or "xor"; throws BadUsage for anything else.
M3LAK_API Boundary boundary_of(const std::string& name);

/// Instance n has h ~ N(0, I) and, for view i, x_i = W_i h + V_i u_i + noise · e with
/// u_i, e ~ N(0, I), W_i's entries N(0, 1/latent) and V_i's N(0, noise²/private_latent): a feature
/// has signal variance 1, and the view's own variation is as strong as its noise.
struct M3LAK_API SimulationOptions {
  Index instances = 1000;

  /// Features of each view.
  std::vector<Index> views = {20, 30};

  /// Dimension of the shared h, at least 2 for a boundary that is not linear.
  Index latent = 5;

  /// Dimension of each view's own u; 0: none.
  Index private_latent = 1;

  /// Standard deviation of the noise.
  double noise = 0.5;

  Boundary boundary = Boundary::linear;

  /// Share of (instance, view) pairs that are missing. Each instance keeps one view at least, so
  /// the share is 1 - 1/views at the most.
  double missing_views = 0;

  /// Share of the cells that are missing.
  double missing_cells = 0;

  /// Share of the labels that are unknown.
  double unknown_labels = 0;

  std::uint64_t seed = 1;

  /// 0: as many as there are cores. The data does not depend on it.
  int threads = 0;

  /// Throws BadUsage that names the field, its value and the rule it broke.
  void check() const;
};

/// Views view1, view2, …; classes 1 and 2.
M3LAK_API Dataset simulate(const SimulationOptions& options);

}  // namespace m3lak
