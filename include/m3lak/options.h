// The settings of M³LAK. This header is the manual: what each does, when it hurts, its default.
//
// Symbols are those of the paper and of docs/method.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "m3lak/export.h"
#include "m3lak/scaling.h"

namespace m3lak {

/// How h and ω are moved.
enum class Hmc {
  preconditioned,  ///< the Gaussian part is rotated exactly, only the hinge kicks; steps adapted
  plain,           ///< unit mass, leapfrog; steps adapted
  authors,         ///< unit mass, leapfrog, step 1/(iteration + 100): the authors' schedule
};

/// In which order the frequencies are moved.
enum class Sweep {
  one_by_one,  ///< each ω_j given the others: larger steps, more of them accepted
  together,    ///< all in one trajectory: few synchronisations, matrix products
};

/// The centre of the prior of the frequencies' covariances.
enum class Base {
  /// E[Σ] ∝ Σ_i W_iᵀW_i: a kernel that looks at the views as the latent space
  /// reconstructs them. It is refreshed in burn-in and frozen afterwards.
  reconstruction,
  isotropic,  ///< a multiple of I
};

/// Where h starts.
enum class Start {
  svd,     ///< the leading singular vectors of the views
  random,  ///< N(0, I)
};

enum class Precision {
  full,   ///< everything in double
  mixed,  ///< data and features in float; sums, factorisations and energies in double
};

/// m if it is "auto" and there are as many features.
inline constexpr int usual_latent = 50;

/// Settings of the model and its sampler. The defaults are right for someone who knows nothing of
/// MCMC; `preset("paper")` gives the paper's.
struct M3LAK_API Options {
  // The model.

  /// m, the dimension of the shared latent space. Too small loses information; dimensions that
  /// explain nothing are pruned by their precisions r, so too large costs time only (m² and mM).
  /// 0 ("auto"): 50, or the number of features if there are fewer.
  int latent = 0;

  /// K, the dimension of each view's own latent space, which soaks up what a view does not share
  /// with the others. 0: none.
  int private_latent = 1;

  /// M, the number of random frequencies: 2M + 1 weights a class. Too few cannot draw a curved
  /// boundary; time grows like NM plus M³.
  int features = 100;

  /// The classifier also sees the views themselves, linearly: so many of their principal
  /// coordinates at most (0: none), fewer where they would take more than 256 MiB. Text and other
  /// wide views are nearly linear, and part of what tells classes apart explains too little of a
  /// view to be in the latent space.
  int linear = 512;

  /// g: the prior variance of these coordinates' weights over that of the others, where the
  /// coordinates of an instance have a squared length of 1 on average.
  double linear_variance = 3;

  /// The weight of the hinge: how hard a margin violation is punished. 0 ("auto"): chosen among
  /// 1 … 10 by cross-validation inside of the training data, which costs 10 × tuning_folds fits.
  double C = 2;

  /// v, the prior precision of the classifier's weights. Small: large weights, sharp boundaries.
  double weight_precision = 1;

  /// Draw v from its posterior under Gamma(weight_shape, weight_rate) instead; it starts at
  /// weight_precision.
  bool sample_weight_precision = false;
  double weight_shape = 1;
  double weight_rate = 1;

  /// ρ, the labels' weight on the latent space of training: 1 is the joint posterior, 0 draws h
  /// from its views alone. See docs/method.md for what each value targets.
  double label_weight = 0;

  // Priors of the latent space.

  /// a_r and b_r of the Gamma prior of each latent dimension's precision in each view (ARD).
  double relevance_shape = 0.1;
  double relevance_rate = 1e-5;

  /// η, the precision of the projections V of the views' own latent spaces.
  double private_precision = 1;

  /// a_τ and b_τ of the Gamma prior of each view's noise precision.
  double noise_shape = 0.01;
  double noise_rate = 1e-5;

  // Prior of the kernel: a Dirichlet process mixture of Gaussians over the frequencies.

  /// α: large values want many mixture components.
  double concentration = 1;

  /// Draw α from its posterior under Gamma(concentration_shape, concentration_rate) instead; it
  /// starts at `concentration`.
  bool sample_concentration = false;
  double concentration_shape = 1;
  double concentration_rate = 1;

  Base base = Base::reconstruction;

  /// μ_0 = base_mean · 1, the centre of the components' means.
  double base_mean = 0;

  /// κ_0: a component's mean is as sure as κ_0 frequencies.
  double base_strength = 10;

  /// ν_0, the degrees of freedom of the components' covariances; it must exceed m - 1. 0 ("auto"):
  /// m + 102. Covariances stay near the base when it is large; below m + 2 they have no mean.
  double base_dof = 0;

  /// With the base `reconstruction`, the trace of E[Σ] (the inverse squared width of the kernel,
  /// where the views have unit size) and Ψ_0 = (ν_0 - m - 1) E[Σ]. With `isotropic`,
  /// Ψ_0 = base_scale · I.
  double base_scale = 0.5;

  // Data.

  /// Fitted on the training data and applied to all. The model has no mean, so views that are not
  /// centred ("none") fit badly. Whether features should be centred only or standardised, whether
  /// the length of an instance counts, and how much each view, is up to the data: "auto" finds out
  /// by ridge regression, fits with the best two scalings (see `fits`), and averages these with the
  /// weights that predict held-out labels best.
  Scaling scaling = Scaling::automatic;

  /// With scaling "auto": of how many fits, with different scalings, the model may be the average.
  int fits = 2;

  /// With scaling "auto": C, base_scale, linear_variance and features follow the ridge regression
  /// that predicts best. C is five times as large where it needs little ridge, base_scale as wide
  /// as its kernel, linear_variance smaller where the kernel is curved or much ridge is needed, and
  /// features three times as many where the kernel is far from linear.
  bool follow_ridge = true;

  // The sampler.

  /// All iterations, burn-in included.
  int iterations = 500;

  /// Iterations at the start that are thrown away, in which steps and base are adapted.
  int burn_in = 100;

  /// Keep every t-th draw after burn-in. 0 ("auto"): so that 50 draws of each chain are kept.
  int thin = 0;

  /// Independent chains from different starts; their draws are put together, and their agreement is
  /// the best test of convergence there is.
  int chains = 1;

  /// The same seed gives the same result to the last bit, for any number of threads.
  std::uint64_t seed = 1;

  /// 0 ("auto"): as many as there are cores.
  int threads = 0;

  /// MiB of memory for the matrices of the draws. What is beyond that is kept in a file in the
  /// folder for temporary files (TMPDIR), which is slower to predict with.
  int draws_memory = 2048;

  /// Mixed is faster (docs/performance.md says by how much), and X takes half the room once it is
  /// read.
  Precision precision = Precision::full;

  Start start = Start::svd;
  Hmc hmc = Hmc::preconditioned;
  Sweep sweep = Sweep::one_by_one;

  /// Leapfrog steps of a move of h, and of ω.
  int latent_leapfrog = 3;
  /// 0: frequencies stay as they were first drawn, from the base.
  int frequency_leapfrog = 3;

  /// Leapfrog steps of a move of all weights of a class at once, with λ integrated out, beside the
  /// draws given λ (which alone take small steps where classes are far apart). 0: no such moves;
  /// nor are there any where features of all instances would take more than 256 MiB, or without
  /// integrate_augmentation.
  int weight_leapfrog = 20;

  /// The share of accepted moves that the adaptation of the steps aims at.
  double target_acceptance = 0.8;

  /// Move h with u, and h and ω with λ, integrated out: same posterior, better mixing.
  bool integrate_private = true;
  bool integrate_augmentation = true;

  /// Folds of the cross-validation inside of the training data that decides what is "auto", and
  /// that probabilities are fitted on. It takes 1,000 labelled instances at most, and with
  /// `calibrate` half of the burn-in and a quarter of the iterations after it.
  int tuning_folds = 5;

  /// Fit probabilities to held-out scores: p = logistic(a · score + b). Without, they are
  /// logistic(score), which is too sure or not sure enough, and two classes meet where the score is
  /// 0. Costs tuning_folds fits, unless these are made anyhow. From 10,000 labelled instances on, a
  /// tenth of them (2,000 at most) lend their views but not their labels to the final fits, and
  /// probabilities are fitted to what these say of them.
  bool calibrate = true;

  /// ν_0 as it is used.
  double base_degrees() const { return base_dof > 0 ? base_dof : latent + 102; }

  /// Throws BadUsage that names the field, its value and the rule it broke.
  void check() const;

  /// "default" or "paper"; throws BadUsage for anything else.
  static Options preset(const std::string& name);
};

/// One row of the table of settings, from which the program's options, its checks, the model file
/// and docs/settings.md are made.
struct M3LAK_API Parameter {
  std::string name;    ///< as on the command line, without dashes: "base-dof"
  std::string symbol;  ///< of the paper, or empty
  std::string help;
  std::string values;  ///< "integer >= 1", "number > 0 or auto", "yes|no", "svd|random"
};

M3LAK_API const std::vector<Parameter>& parameters();

/// The value of a setting as text, and from text. Throws BadUsage for names and values that there
/// are not.
M3LAK_API std::string get(const Options& options, const std::string& name);
M3LAK_API void set(Options& options, const std::string& name, const std::string& value);

}  // namespace m3lak
