// Training and prediction.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/export.h"
#include "m3lak/kept.h"
#include "m3lak/mixture.h"
#include "m3lak/options.h"

namespace m3lak {

/// One Gaussian of the mixture that the frequencies follow.
using FrequencyComponent = MixtureComponent;

/// One draw of all that prediction needs, and of what the model has learned about the kernel.
struct M3LAK_API Draw {
  struct M3LAK_API ViewDraw {
    Kept<DenseMatrix> projection;  ///< [W V], one row a feature
    Vector relevance;              ///< r: precision of each latent dimension
    double noise = 0;              ///< τ: noise precision
  };
  std::vector<ViewDraw> views;
  Kept<Matrix> frequencies;  ///< ω, one column a frequency
  Kept<Matrix> weights;      ///< β, one column a class (one in all for two classes)
  Kept<Matrix>
      linear_weights;  ///< γ, of the principal coordinates of the views; one column a class
  double weight_precision = 0;
  double concentration = 0;
  std::vector<FrequencyComponent> components;
  std::vector<int> component_of;  ///< of each frequency
};

/// What happened in one iteration of one chain.
struct M3LAK_API TraceRow {
  int chain = 0;
  int iteration = 0;  ///< from 1
  bool kept = false;
  double log_joint = 0;  ///< log density of all variables, λ integrated out, up to a constant
  double latent_acceptance = 0;
  double frequency_acceptance = 0;
  double latent_step = 0;
  double frequency_step = 0;
  int components = 0;
  double weight_norm = 0;         ///< ‖β‖
  double kernel_scale = 0;        ///< mean ‖ω_j‖²
  Vector noise;                   ///< τ of each view
  Vector probes;                  ///< scores of a few training instances, from x alone
  double training_accuracy = -1;  ///< by the rule that sees x alone; -1: not computed this time
};

/// Whether the chains are to be trusted, check by check.
struct M3LAK_API Check {
  std::string name;
  bool passed = true;
  double value = 0;
  std::string meaning;
  std::string remedy;  ///< empty if passed
};

struct M3LAK_API Prediction {
  std::vector<int> label;  ///< index into Model::classes()
  Matrix score;            ///< mean over draws, one row an instance: one column, or one a class
  Matrix spread;           ///< standard deviation over draws
  Matrix probability;      ///< one column a class; rows add up to 1

  /// Standard deviation of the probabilities that the spread of the scores amounts to, to first
  /// order. Empty if the method has no draws.
  Matrix probability_spread;

  Matrix latent;         ///< mean of h, draws turned into one orientation; one row an instance
  Matrix latent_spread;  ///< standard deviation of h given x, if it was asked for
};

/// What `predict` is to find besides.
enum class Extra { none, latent_spread };

/// A way of fitting that was looked at by cross-validation inside of the training data.
struct M3LAK_API Tried {
  Scaling scaling = Scaling::none;
  double C = 0;
  double accuracy = 0, log_loss = 0;  ///< on held-out labels
  double weight = 0;                  ///< in the model; 0: left out
  Vector variances = {};  ///< total variance that each view was given; 0: as the scaling leaves it

  bool operator==(const Tried&) const = default;
};

/// What a long fit tells while it runs, and is asked.
struct M3LAK_API Progress {
  std::string stage;  ///< "tuning" or "sampling"
  int done = 0;       ///< iterations of all chains, or fits of the tuning
  int total = 0;
  TraceRow last;
};

struct M3LAK_API Callbacks {
  /// Called after each iteration, from one thread at a time.
  std::function<void(const Progress&)> progress;

  /// Asked after each iteration; true ends the fit. What was drawn so far is kept.
  std::function<bool()> stop;

  /// Training accuracy in every row of the trace, not only now and then: it costs about as much as
  /// a gradient.
  bool accuracy_in_trace = false;

  /// Told what went wrong without ending the fit.
  std::function<void(const std::string&)> warning;
};

/// Where a long fit keeps what it has done, so that it can go on after it was ended.
struct M3LAK_API CheckpointPlan {
  /// Appears whole or not at all; the one before it is kept as FILE.previous.
  std::filesystem::path file;

  /// How often: whenever so many seconds have passed, and after so many iterations of a chain
  /// (0: by time alone), and when the fit is stopped or done.
  double seconds = 60;
  int iterations = 0;

  /// Go on from `file` if it is there, to exactly the result that the fit would have had without
  /// the break; with any number of threads.
  bool resume = false;
};

/// A trained classifier: one fit, or a few with different scalings, C and v whose probabilities
/// are averaged.
class M3LAK_API Model {
 public:
  /// Of several fits, the latents are those of the first, and scores are averaged.
  Prediction predict(const Dataset& data, int threads = 0, Extra extra = Extra::none) const;

  /// The fits that predict together, each a model of its own, the heaviest first. All that is asked
  /// of a model, but for its predictions, is answered by the first.
  std::vector<Model> members() const;
  double weight() const;  ///< of the first; 1 if it is alone

  /// Whole or not at all.
  void save(const std::filesystem::path& file) const;
  static Model load(const std::filesystem::path& file);

  /// What is in such a file.
  std::string bytes() const;
  static Model from_bytes(std::string_view bytes);

  const Options& options() const;  ///< with what was "auto" as chosen
  const Scaler& scaler() const;
  const std::vector<std::string>& classes() const;
  /// Of each view; empty where the data had none.
  const std::vector<std::vector<std::string>>& feature_names() const;
  const std::vector<Draw>& draws() const;
  /// Of each draw, the rotation that turns its latent space into that of the last one, as near as
  /// it can: the model does not care how h is turned, so draws are turned before they are averaged.
  std::vector<Matrix> turns() const;
  /// Of each view, the mean over draws of what the classifier's linear part gives each feature, in
  /// units of the scaled data; one row a feature, one column a class (one in all for two classes).
  std::vector<Matrix> linear_weights() const;
  const std::vector<TraceRow>& trace() const;
  /// What cross-validation looked at, if there was any.
  const std::vector<Tried>& tried() const;
  bool stopped_early() const;
  std::vector<Check> checks() const;

  struct Parts;
  explicit Model(std::shared_ptr<const Parts> parts);
  const Parts& parts() const { return *parts_; }

 private:
  std::shared_ptr<const Parts> parts_;
};

/// How much room the draws of a fit will take, and how many there will be.
struct M3LAK_API DrawsPlan {
  int draws = 0;
  int thin = 1;
  double bytes = 0;
  double in_file = 0;  ///< so many of them beyond Options::draws_memory, in a file
};
M3LAK_API DrawsPlan plan_draws(const Dataset& training, const Options& options);

/// Trains. Throws BadData if the data has no labels, or fewer than two classes, or if a checkpoint
/// is of other data or settings, or damaged; BadUsage if the options break their rules.
M3LAK_API Model fit(Dataset training, const Options& options, const Callbacks& callbacks = {},
                    const std::optional<CheckpointPlan>& checkpoint = {});

}  // namespace m3lak
