// The cross-validation inside of the training data by which fits are judged.
#pragma once

#include <atomic>
#include <mutex>

#include "m3lak/folds.h"
#include "predict/link.h"
#include "study/fit_one.h"

namespace m3lak {

/// Scores of held-out instances, one row each, and their labels.
struct HeldOut {
  Matrix scores;
  std::vector<int> truth;
};

template <class Kind>
void transfer(Kind& archive, HeldOut& fold) {
  archive(fold.scores, fold.truth);
}

/// A candidate, once all its folds are done.
struct Judged {
  Candidate candidate;
  Judgement judgement;
};

class InnerValidation {
 public:
  /// `results`, in which candidates have their folds one after the other, may hold some already
  /// (those with labels). All but the training data must outlive this.
  InnerValidation(Dataset training, const Options& options, const Callbacks& callbacks,
                  Checkpoint& checkpoint, std::vector<HeldOut>& results, Cluster* cluster);

  /// Fits in parallel, each with one thread; several processes share them out. Throws Stopped if it
  /// is stopped.
  std::vector<Judged> judge_all(const std::vector<Candidate>& candidates);

 private:
  HeldOut& result_of(Index job) { return results_[static_cast<std::size_t>(job)]; }
  void keep(Index job, HeldOut found, int jobs);
  template <class Work>
  void in_turns(Workers& workers, const std::vector<Index>& left, const Work& work, int jobs);
  bool stop();

  Dataset training_;
  const Options& options_;
  const Callbacks& callbacks_;
  Checkpoint& checkpoint_;
  std::vector<HeldOut>& results_;
  Cluster* cluster_;
  Folds folds_;
  std::mutex mutex_;
  int done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace m3lak
