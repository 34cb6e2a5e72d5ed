#include "study/inner_validation.h"

#include <algorithm>
#include <functional>
#include <span>

#include "m3lak/error.h"
#include "numeric/parallel.h"

namespace m3lak {

namespace {

/// The fits of the cross-validation need not be as long as the final ones, unless it is the
/// paper's, where they are the same.
Options shortened(Options options) {
  options.threads = 1;
  options.chains = 1;
  if (!options.calibrate) return options;
  constexpr int usual_draws = 50;
  const int kept = std::max(1, (options.iterations - options.burn_in) / 4);
  options.burn_in /= 2;
  options.iterations = options.burn_in + kept;
  options.thin = std::max(1, kept / usual_draws);
  return options;
}

HeldOut hold_out(const Dataset& training, const Folds& folds, int fold, const Candidate& candidate,
                 DrawStore& store, const std::function<bool()>& stop) {
  const std::vector<Index> test = folds.test(fold);
  Dataset held = training.select(test);
  held.labels.reset();
  Callbacks callbacks;
  callbacks.stop = stop;
  Checkpoint none;
  Dataset others = training.select(folds.train(fold));
  const Part all = whole(others);
  const Model model(fit_one(std::move(others), all,
                            {shortened(candidate.options), candidate.variances}, callbacks,
                            Trace::without_scores, store, none, ""));
  HeldOut result{model.predict(held, 1).score, {}};
  for (const Index n : test) {
    result.truth.push_back(training.labels->of[static_cast<std::size_t>(n)]);
  }
  return result;
}

Judged judge(const Candidate& candidate, std::span<const HeldOut> folds) {
  Index count = 0;
  for (const HeldOut& fold : folds) count += fold.scores.rows();
  Matrix scores(count, folds.front().scores.cols());
  std::vector<int> truth;
  for (const HeldOut& fold : folds) {
    scores.middleRows(std::ssize(truth), fold.scores.rows()) = fold.scores;
    truth.insert(truth.end(), fold.truth.begin(), fold.truth.end());
  }
  return {candidate, m3lak::judge(scores, truth, candidate.options.calibrate)};
}

/// Whether any process says so, for all.
bool any_process(Cluster* cluster, bool says) {
  if (cluster) sum_over(*cluster, says, [](bool& a, bool b) { a |= b; });
  return says;
}

}  // namespace

InnerValidation::InnerValidation(Dataset training, const Options& options,
                                 const Callbacks& callbacks, Checkpoint& checkpoint,
                                 std::vector<HeldOut>& results, Cluster* cluster)
    : training_(std::move(training)),
      options_(options),
      callbacks_(callbacks),
      checkpoint_(checkpoint),
      results_(results),
      cluster_(cluster),
      folds_(stratified_folds(*training_.labels, options.tuning_folds, options.seed)) {}

void InnerValidation::keep(Index job, HeldOut found, int jobs) {
  {
    const auto held = checkpoint_.hold();
    result_of(job) = std::move(found);
  }
  const std::lock_guard lock(mutex_);
  ++done_;
  const bool tells = !cluster_ || cluster_->is_first();
  if (callbacks_.progress && tells) callbacks_.progress({"tuning", done_, jobs, {}});
}

bool InnerValidation::stop() {
  const std::lock_guard lock(mutex_);
  if (callbacks_.stop && callbacks_.stop()) stopped_ = true;
  return stopped_;
}

/// Each process takes as many jobs as it has threads; then all tell each other what they found,
/// and so on.
template <class Work>
void InnerValidation::in_turns(Workers& workers, const std::vector<Index>& left, const Work& work,
                               int jobs) {
  const Share share = cluster_->share();
  const Index each = workers.threads();
  for (Index first = 0; first < std::ssize(left) && !stopped_; first += each * share.ranks) {
    const auto own = [&](int rank) {
      const Index begin = std::min(std::ssize(left), first + rank * each);
      const Index end = std::min(std::ssize(left), begin + each);
      return std::span(left).subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(end - begin));
    };
    const auto mine = own(share.rank);
    workers.run(std::ssize(mine), [&](Index i) { work(mine[static_cast<std::size_t>(i)]); });
    std::vector<HeldOut> found;
    for (const Index job : mine) found.push_back(result_of(job));
    const auto all = values_of(*cluster_, std::move(found));
    stopped_ = any_process(cluster_, stopped_);
    for (int rank = 0; rank < share.ranks && !stopped_; ++rank) {
      if (rank == share.rank) continue;
      const auto theirs = own(rank);
      for (std::size_t i = 0; i < theirs.size(); ++i) {
        keep(theirs[i], all[static_cast<std::size_t>(rank)][i], jobs);
      }
    }
    checkpoint_.save_if_due();
  }
}

std::vector<Judged> InnerValidation::judge_all(const std::vector<Candidate>& candidates) {
  const auto jobs = static_cast<int>(candidates.size()) * folds_.count;
  {
    const auto held = checkpoint_.hold();
    results_.resize(static_cast<std::size_t>(jobs));
  }
  std::vector<Index> left;
  for (Index job = 0; job < jobs; ++job) {
    if (result_of(job).truth.empty()) left.push_back(job);
  }
  done_ = jobs - static_cast<int>(left.size());
  Workers workers(options_.threads);
  const auto work = [&](Index job) {
    if (stop()) return;
    DrawStore store(bytes_of_draws(options_) / workers.threads(), callbacks_.warning);
    HeldOut found = hold_out(training_, folds_, static_cast<int>(job % folds_.count),
                             candidates[static_cast<std::size_t>(job / folds_.count)], store,
                             [&] { return stop(); });
    if (!stopped_) keep(job, std::move(found), jobs);
  };
  if (cluster_) {
    in_turns(workers, left, work, jobs);
  } else {
    workers.run(std::ssize(left), [&](Index i) {
      work(left[static_cast<std::size_t>(i)]);
      checkpoint_.save_if_due();
    });
  }
  if (stopped_) {
    checkpoint_.save();
    throw Stopped("stopped while the fit was being tuned; nothing was drawn yet");
  }
  std::vector<Judged> judged;
  const auto folds = static_cast<std::size_t>(folds_.count);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    judged.push_back(judge(candidates[i], std::span(results_).subspan(i * folds, folds)));
  }
  return judged;
}

}  // namespace m3lak
