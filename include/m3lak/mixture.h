// The Dirichlet process mixture of Gaussians: density and clusters of points, as many components as
// the points ask for.
//
//   m3lak::DirichletProcessMixture mixture;
//   mixture.fit(points);                                // one row a point
//   mixture.last().components;                          // weights, means, covariances
//   mixture.assign(more); mixture.log_density(more);
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/export.h"

namespace m3lak {

using Matrix = Eigen::MatrixXd;

/// Settings of the mixture and its sampler. What is "auto" is taken from the points of `fit`: d is
/// their number of columns, x̄ their mean and S their covariance, a millionth of its diagonal added
/// (of a constant column, a millionth of the mean of the others).
struct M3LAK_API MixtureOptions {
  // The Dirichlet process.

  /// α: large values want many components; n points have about α log(1 + n/α) of them beforehand.
  double concentration = 1;

  /// Draw α from its posterior under Gamma(concentration_shape, concentration_rate) instead; it
  /// starts at `concentration`.
  bool sample_concentration = true;
  double concentration_shape = 1;
  double concentration_rate = 1;

  // Its base measure: Σ ~ InverseWishart(dof, scale), μ ~ N(mean, Σ / strength).

  /// μ_0, the centre of the components' means. Empty ("auto"): x̄.
  Vector mean;

  /// κ_0: a component's mean is as sure beforehand as κ_0 points make it. Large values pull means
  /// to μ_0. 0 ("auto"): 0.01, so that means lie anywhere within ten times the width of a
  /// component.
  double strength = 0;

  /// Ψ_0, symmetric and positive definite: the covariances' mean times dof - d - 1. Too wide, and
  /// small components are not seen among few points. Empty ("auto"): S / 10^{2/d}, as wide as each
  /// of ten components that share the volume of the points (after Fraley and Raftery, 2007).
  Matrix scale;

  /// ν_0, which must exceed d - 1. Covariances are the nearer to each other the larger it is; below
  /// d + 2 they have no mean beforehand. 0 ("auto"): d + 2.
  double dof = 0;

  // The sampler.

  /// All iterations, burn-in included.
  int iterations = 100;

  /// Iterations at the start that are thrown away. Before the first one, a few thousand of the
  /// points and then four times as many, and so on, were sampled to find components; then and in
  /// the first half of burn-in, components are also split and merged where the posterior gains by
  /// it. That finds them within few iterations but does not draw from the posterior; all other
  /// iterations are the slice sampler alone, which does.
  int burn_in = 50;

  /// Keep every t-th draw after burn-in. 0 ("auto"): so that about 25 are kept.
  int thin = 0;

  /// The same seed gives the same result to the last bit, for any number of threads.
  std::uint64_t seed = 1;

  /// 0 ("auto"): as many as there are cores.
  int threads = 0;

  /// Throws BadUsage that names the field, its value and the rule it broke. What has to do with the
  /// dimension is checked by `fit`.
  void check() const;
};

/// One Gaussian of a mixture.
struct M3LAK_API MixtureComponent {
  double weight = 0;
  Vector mean;
  Matrix factor;  ///< lower Cholesky factor of the covariance
};

/// One draw from the posterior. The weights and the rest add up to 1.
struct M3LAK_API MixtureDraw {
  std::vector<MixtureComponent> components;  ///< those that have points
  double rest = 0;                           ///< the weight of all others together
  double concentration = 0;                  ///< α
};

/// What `fit` tells while it runs, and is asked.
struct M3LAK_API MixtureCallbacks {
  /// Called after each iteration, with the number of those done and of components.
  std::function<void(int, int)> progress;

  /// Asked after each iteration; true ends the fit. What was drawn so far is kept.
  std::function<bool()> stop;
};

class M3LAK_API DirichletProcessMixture {
 public:
  /// One row a point. Rows may be those of a larger matrix; nothing is copied then.
  using Points = Eigen::Ref<const DenseMatrix>;

  /// Throws BadUsage if the options break their rules.
  explicit DirichletProcessMixture(MixtureOptions options = {});

  /// A mixture of draws that were made before. `options` are those that `options()` gave then.
  DirichletProcessMixture(MixtureOptions options, std::vector<MixtureDraw> draws);

  /// Draws from the posterior given these points. Beside them it needs five bytes a point, and the
  /// time of an iteration grows like their number, the number of components and d². Throws BadData
  /// if there is no point, or no column, or a value is not finite or above 1e100 (it could not be
  /// squared and summed); BadUsage if the base measure does not fit the points; Stopped if `stop`
  /// ended it before a draw was kept. If it throws, all is as it was before.
  void fit(const Points& points, const MixtureCallbacks& callbacks = {});

  /// Of each point, the component of the last draw that it most probably comes from: an index into
  /// last().components. These three throw BadUsage before `fit`, BadData for other columns.
  std::vector<int> assign(const Points& points) const;

  /// Of each point (row), the probability of each component of the last draw (column), given that
  /// it comes from one of them: rows add up to 1.
  DenseMatrix probability(const Points& points) const;

  /// Of each point, the log of the posterior predictive density: the mean over draws of
  /// Σ_k ϖ_k N(x | μ_k, Σ_k), plus the rest times the density that points have under the base
  /// measure (Student's t), so that it integrates to 1.
  Vector log_density(const Points& points) const;

  const std::vector<MixtureDraw>& draws() const { return draws_; }
  const MixtureDraw& last() const;

  /// The number of components after each iteration, burn-in included.
  const std::vector<int>& component_counts() const { return component_counts_; }

  /// After `fit`, with what was "auto" as chosen.
  const MixtureOptions& options() const { return options_; }
  bool stopped_early() const { return stopped_early_; }

 private:
  void check_columns(const Points& points) const;

  MixtureOptions given_, options_;
  std::vector<MixtureDraw> draws_;
  std::vector<int> component_counts_;
  bool stopped_early_ = false;
};

}  // namespace m3lak
