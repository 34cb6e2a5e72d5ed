#include "m3lak/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "numeric/clock.h"
#include "numeric/parallel.h"
#include "study/evaluate_together.h"
#include "study/run_fold.h"

namespace m3lak {

namespace {

constexpr std::array fields = {
    &Measures::accuracy,   &Measures::balanced_accuracy, &Measures::auc,
    &Measures::log_loss,   &Measures::calibration_error, &Measures::seconds,
    &Measures::fit_seconds};

/// The caller's callbacks, called by one thread at a time. Once told to stop, it stays so.
class Caller {
 public:
  Caller(const EvaluateCallbacks& callbacks, int total) : callbacks_(callbacks), total_(total) {}

  bool stop() {
    const std::lock_guard lock(mutex_);
    if (!stopped_ && callbacks_.stop) stopped_ = callbacks_.stop();
    return stopped_;
  }
  void finished_one() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (callbacks_.progress) callbacks_.progress(done_, total_);
  }

 private:
  const EvaluateCallbacks& callbacks_;
  std::mutex mutex_;
  bool stopped_ = false;
  int done_ = 0;
  int total_;
};

/// The measures of one fold, or nothing if it was told to stop.
std::optional<Measures> try_fold(const Dataset& data, const Folds& folds, int fold,
                                 const Method& method, int threads, Caller& caller) {
  if (caller.stop()) return std::nullopt;
  try {
    const Measures measures =
        run_fold(data, folds, fold, method, threads, [&] { return caller.stop(); });
    caller.finished_one();
    return measures;
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

/// What came of a fold, or that nothing did.
struct Outcome {
  bool finished = false;
  Measures measures;
};

template <class Kind>
void transfer(Kind& archive, Outcome& outcome) {
  archive(outcome.finished);
  for (const auto field : fields) archive(outcome.measures.*field);
  for (Reliability::Bin& bin : outcome.measures.reliability.bins) {
    archive(bin.instances, bin.confidence, bin.right);
  }
}

/// Each process has every so manieth fold.
std::vector<Outcome> run_folds(Cluster* cluster, const Dataset& data, const Folds& folds,
                               const Method& method, int threads, Caller& caller) {
  const Share share = cluster ? cluster->share() : Share{};
  std::vector<Outcome> own(static_cast<std::size_t>(folds.count));
  const Index mine = (folds.count - share.rank + share.ranks - 1) / share.ranks;
  Workers workers(threads);
  const auto run = [&](Index i, int threads_of_fold) {
    const auto fold = static_cast<int>(share.rank + i * share.ranks);
    const auto measures = try_fold(data, folds, fold, method, threads_of_fold, caller);
    if (measures) own[static_cast<std::size_t>(fold)] = {true, *measures};
  };
  if (mine >= workers.threads()) {
    workers.run(mine, [&](Index i) { run(i, 1); });
  } else {
    for (Index i = 0; i < mine; ++i) run(i, workers.threads());
  }
  if (!cluster) return own;
  const auto of_all = values_of(*cluster, own);
  for (std::size_t fold = 0; fold < own.size(); ++fold) {
    own[fold] = of_all[fold % of_all.size()][fold];
  }
  return own;
}

/// Mean and standard deviation of one measure, over the folds where it is a number.
void summarise(Evaluation& evaluation, double Measures::*field) {
  double count = 0, sum = 0, squares = 0;
  for (const Measures& fold : evaluation.folds) {
    if (std::isnan(fold.*field)) continue;
    ++count;
    sum += fold.*field;
  }
  const double mean = count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  for (const Measures& fold : evaluation.folds) {
    if (!std::isnan(fold.*field)) squares += (fold.*field - mean) * (fold.*field - mean);
  }
  evaluation.mean.*field = mean;
  evaluation.deviation.*field = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
}

}  // namespace

Evaluation evaluate(const Dataset& data, const Method& method, int folds, std::uint64_t seed,
                    int threads, const EvaluateCallbacks& callbacks) {
  return evaluate_together(nullptr, data, method, folds, seed, threads, callbacks);
}

Evaluation evaluate_together(Cluster* cluster, const Dataset& data, const Method& method, int folds,
                             std::uint64_t seed, int threads, const EvaluateCallbacks& callbacks) {
  if (!data.labels) throw BadData("the data has no labels: nothing can be evaluated");
  const Clock clock;
  const Folds plan = stratified_folds(*data.labels, folds, seed);
  Caller caller(callbacks, folds);
  Evaluation evaluation;
  evaluation.notes = plan.notes;
  int without_auc = 0;
  for (const auto& [finished, measures] : run_folds(cluster, data, plan, method, threads, caller)) {
    if (finished) {
      evaluation.folds.push_back(measures);
      evaluation.reliability += measures.reliability;
      without_auc += std::isnan(measures.auc);
    } else {
      evaluation.stopped = true;
    }
  }
  if (without_auc > 0) {
    evaluation.notes.push_back(
        fmt::format("{} fold(s) have no AUC, as one class alone is tested there; its mean is that "
                    "of the others",
                    without_auc));
  }
  for (const auto field : fields) summarise(evaluation, field);
  evaluation.seconds = clock.seconds();
  return evaluation;
}

}  // namespace m3lak
