// One Markov chain: the order of its steps, and its adaptation in burn-in.
#pragma once

#include "inference/layout.h"
#include "inference/local_step.h"
#include "m3lak/model.h"
#include "model/frequencies.h"
#include "model/linear.h"
#include "model/problem.h"
#include "model/state.h"
#include "model/weights.h"
#include "model/weights_together.h"
#include "numeric/dual_averaging.h"

namespace m3lak {

class Chain {
 public:
  /// All three must outlive the chain. Starts it.
  Chain(const Problem& problem, const Options& options, Workers& workers, int number);

  /// One iteration: local step, then each global variable.
  TraceRow iterate();

  State& state() { return state_; }
  const State& state() const { return state_; }

  /// The base measure as it is at present; frozen after burn-in.
  NormalInverseWishart& base() { return base_; }

  /// A copy of all that prediction needs.
  Draw draw() const;

  /// How many iterations there have been.
  int iterations() const { return static_cast<int>(iteration_.number); }

  /// All that the iterations to come depend on (see archive.h). Another chain of the same problem,
  /// options and number that reads it goes on as this one does.
  template <class Kind>
  friend void transfer(Kind& archive, Chain& chain) {
    archive(chain.iteration_.number, chain.state_, chain.base_, chain.latent_step_,
            chain.weight_step_, chain.frequency_step_);
    if (chain.move_weights_) archive(chain.move_weights_->metric());
  }

 private:
  bool burning_in() const {
    return iteration_.number <= static_cast<std::uint64_t>(options_.burn_in);
  }
  Move move(const DualAveraging& step, int leapfrog) const;
  void start();
  void draw_views(const Statistics& statistics);
  void draw_classifier();
  void draw_kernel(TraceRow& row);
  void adapt(DualAveraging& step, const Acceptance& acceptance) const;
  double log_joint(double hinge_loss) const;

  const Problem& problem_;
  const Options& options_;
  Workers& workers_;
  Workers alone_{1};  // for the few frequencies: each process draws their mixture by itself
  Iteration iteration_;
  State state_;
  std::unique_ptr<LocalStep> local_step_;
  std::unique_ptr<WeightDraws> draw_weights_;
  std::unique_ptr<LinearDraws> draw_linear_;
  std::unique_ptr<WeightMoves> move_weights_;  // or none
  std::unique_ptr<FrequencyMoves> move_frequencies_;
  NormalInverseWishart base_;
  DualAveraging latent_step_, weight_step_, frequency_step_;
  std::vector<double> squared_residuals_;  // of each view
  double latent_squares_ = 0;              // Σ ‖h‖² + Σ ‖u‖²
};

}  // namespace m3lak
