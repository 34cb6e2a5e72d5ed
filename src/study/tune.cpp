#include "study/tune.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <mutex>
#include <span>

#include "data/dense_view.h"
#include "data/labelled.h"
#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "numeric/parallel.h"

namespace m3lak {

template <class Kind>
void transfer(Kind& archive, Representation& representation) {
  archive(representation.scaling, representation.variances, representation.width,
          representation.ridge, representation.log_loss);
}

template <class Kind>
void transfer(Kind& archive, HeldOut& fold) {
  archive(fold.scores, fold.truth);
}

template <class Kind>
void transfer(Kind& archive, TuningProgress& progress) {
  archive(progress.representations, progress.folds);
}

namespace {

constexpr int largest_C = 10;

/// More labelled instances are not needed to choose among a few fits, and fewer are enough to find
/// out how views are to be scaled, which takes the third power of their number.
constexpr Index most_labelled = 1000;
constexpr Index most_compared = 500;

/// Fits of smaller weight are left out.
constexpr double least_weight = 0.05;

/// For each fit so many held-out instances, as a share of all, speak for it beforehand: weights
/// that are fitted to a few hundred labels are better drawn towards even ones.
constexpr double evenness = 0.03;

/// Where ridge regression is best with as little as this, a harder margin is better too.
constexpr double small_ridge = 0.01;
constexpr double harder = 5;

/// C, unless it is to be chosen, and the size of the base as the kernel of the best ridge
/// regression suggests: its frequencies have the covariance 2γ I.
void follow(const Representation& representation, Options& options) {
  if (representation.ridge <= small_ridge) options.C *= harder;
  if (representation.width > 0) options.base_scale = 2 * representation.width;
}

/// The settings of each fit that is to be tried, and the variances its views are given.
std::vector<Candidate> candidates(const Options& options,
                                  const std::vector<Representation>& representations) {
  std::vector<Candidate> all;
  for (const Representation& representation : representations) {
    for (int c = 1; c <= (options.C == 0 ? largest_C : 1); ++c) {
      Candidate& own = all.emplace_back(options, representation.variances);
      own.options.scaling = representation.scaling;
      if (options.follow_ridge && representation.variances.size() > 0) {
        follow(representation, own.options);
      }
      if (options.C == 0) own.options.C = c;
    }
  }
  return all;
}

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

/// A candidate, once all its folds are done.
struct Judged {
  Candidate candidate;
  Judgement judgement;
};

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

/// Of each scaling, the candidate of the largest accuracy; of equals, the first.
std::vector<Judged> best_of_scalings(const std::vector<Judged>& judged) {
  std::vector<Judged> best;
  for (const Judged& each : judged) {
    if (best.empty() || best.back().candidate.options.scaling != each.candidate.options.scaling) {
      best.push_back(each);
    } else if (each.judgement.accuracy > best.back().judgement.accuracy) {
      best.back() = each;
    }
  }
  return best;
}

/// The average of candidates that gives held-out labels the largest probability, heaviest first.
std::vector<ChosenFit> stacked(const std::vector<Judged>& judged) {
  Matrix p(judged.front().judgement.p.size(), std::ssize(judged));
  for (std::size_t k = 0; k < judged.size(); ++k) {
    p.col(static_cast<Index>(k)) = judged[k].judgement.p;
  }
  const Vector weights = stacking_weights(p, evenness * static_cast<double>(p.rows()));
  std::vector<ChosenFit> choices;
  for (std::size_t k = 0; k < judged.size(); ++k) {
    const auto& [candidate, judgement] = judged[k];
    choices.push_back({candidate, judgement.link, weights[static_cast<Index>(k)]});
  }
  return choices;
}

void keep_heaviest_first(std::vector<ChosenFit>& choices, std::size_t most) {
  std::ranges::stable_sort(choices, std::greater<>(), &ChosenFit::weight);
  while (choices.size() > most || (choices.size() > 1 && choices.back().weight < least_weight)) {
    choices.pop_back();
  }
  double sum = 0;
  for (const ChosenFit& choice : choices) sum += choice.weight;
  for (ChosenFit& choice : choices) choice.weight /= sum;
}

/// All candidates with the same weight, where there is too little data to tell them apart.
Tuned untuned(const std::vector<Candidate>& candidates, std::size_t most) {
  Tuned tuned;
  for (const Candidate& candidate : candidates) {
    const bool is_first_of_scaling =
        tuned.choices.empty() ||
        tuned.choices.back().candidate.options.scaling != candidate.options.scaling;
    if (is_first_of_scaling) tuned.choices.push_back({candidate, {}, 1});
  }
  keep_heaviest_first(tuned.choices, most);
  return tuned;
}

/// Each part of a cross-validation needs two members at least of two classes, and all views.
bool can_be_tuned(const Dataset& training, int folds) {
  const std::vector<Index> counts = training.labels->counts();
  if (std::ranges::count_if(counts, [](Index count) { return count >= 2; }) < 2) return false;
  if (training.instances() - training.labels->unknown_count() < 2 * folds) return false;
  return std::ranges::all_of(training.views, [&](const View& view) {
    return view.instances() - view.absent_count() > training.instances() / folds + 1;
  });
}

/// As much of the training data as it takes to choose: classes in their proportions. Each process
/// gets all of it.
Dataset enough_of(const Dataset& training, const Part& part, Index most, std::uint64_t seed) {
  const Labels labels =
      part.cluster ? all_labels(*part.cluster, *training.labels) : *training.labels;
  const Index labelled = std::ssize(labels.of) - labels.unknown_count();
  if (labelled <= most) return part.cluster ? gathered(*part.cluster, training) : training;
  constexpr int parts = 100;
  const Folds folds = stratified_folds(labels, parts, seed);
  std::vector<Index> rows;
  for (int fold = 0; fold < std::max<Index>(1, parts * most / labelled); ++fold) {
    std::ranges::copy(folds.test(fold), std::back_inserter(rows));
  }
  std::ranges::sort(rows);
  std::vector<Index> own;
  for (const Index row : rows) {
    if (row >= part.first && row < part.first + training.instances()) {
      own.push_back(row - part.first);
    }
  }
  Dataset chosen = training.select(own);
  return part.cluster ? gathered(*part.cluster, std::move(chosen)) : chosen;
}

/// How views may be scaled where there is too little data to compare.
std::vector<Representation> plain_representations(const Options& options) {
  if (options.scaling != Scaling::automatic) return {{.scaling = options.scaling}};
  return {{.scaling = Scaling::center},
          {.scaling = Scaling::standardize},
          {.scaling = Scaling::unit_length}};
}

/// Whether any process says so, for all.
bool any_process(Cluster* cluster, bool says) {
  if (cluster) sum_over(*cluster, says, [](bool& a, bool b) { a |= b; });
  return says;
}

/// Of a process that finds them for all; none if it was stopped.
std::vector<Representation> find_representations(const Dataset& chosen, const Options& options,
                                                 const Callbacks& callbacks, Cluster* cluster) {
  std::vector<Representation> found;
  if (!cluster || cluster->is_first()) {
    try {
      Workers workers(options.threads);
      const Dataset compared =
          labelled(enough_of(chosen, whole(chosen), most_compared, options.seed), "m3lak");
      found = representations(
          workers, compared,
          stratified_folds(*compared.labels, options.tuning_folds, options.seed), callbacks.stop);
    } catch (const Stopped&) {
      if (!cluster) throw;
    }
  }
  if (cluster) share_first(*cluster, found);
  if (found.empty()) throw Stopped("stopped while the views were being compared");
  return found;
}

/// How views may be scaled: as the settings say, or the best of the ways that are compared.
std::vector<Representation> compare_representations(const Dataset& training, const Options& options,
                                                    const Callbacks& callbacks,
                                                    Checkpoint& checkpoint,
                                                    TuningProgress& progress, Cluster* cluster) {
  if (options.scaling != Scaling::automatic) return {{.scaling = options.scaling}};
  if (progress.representations.empty()) {
    std::vector<Representation> found = find_representations(training, options, callbacks, cluster);
    {
      const auto held = checkpoint.hold();
      progress.representations = std::move(found);
    }
    checkpoint.save_if_due();
  }
  std::vector<Representation> best = progress.representations;
  if (std::ssize(best) > options.fits) best.resize(static_cast<std::size_t>(options.fits));
  return best;
}

/// The cross-validation.
class Tuning {
 public:
  Tuning(Dataset training, const Options& options, const Callbacks& callbacks,
         Checkpoint& checkpoint, std::vector<HeldOut>& results, Cluster* cluster)
      : training_(std::move(training)),
        options_(options),
        callbacks_(callbacks),
        checkpoint_(checkpoint),
        results_(results),
        cluster_(cluster),
        folds_(stratified_folds(*training_.labels, options.tuning_folds, options.seed)) {}

  std::vector<Judged> judge_all(const std::vector<Candidate>& candidates) {
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

 private:
  HeldOut& result_of(Index job) { return results_[static_cast<std::size_t>(job)]; }

  void keep(Index job, HeldOut found, int jobs) {
    {
      const auto held = checkpoint_.hold();
      result_of(job) = std::move(found);
    }
    const std::lock_guard lock(mutex_);
    ++done_;
    const bool tells = !cluster_ || cluster_->is_first();
    if (callbacks_.progress && tells) callbacks_.progress({"tuning", done_, jobs, {}});
  }

  /// Each process takes as many jobs as it has threads; then all tell each other what they found,
  /// and so on.
  template <class Work>
  void in_turns(Workers& workers, const std::vector<Index>& left, const Work& work, int jobs) {
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

  bool stop() {
    const std::lock_guard lock(mutex_);
    if (callbacks_.stop && callbacks_.stop()) stopped_ = true;
    return stopped_;
  }

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

std::vector<Tried> tried(const std::vector<Judged>& judged, const std::vector<ChosenFit>& choices,
                         Index views) {
  std::vector<Tried> all;
  for (const auto& [candidate, judgement] : judged) {
    const Options& options = candidate.options;
    all.push_back({options.scaling, options.C, judgement.accuracy, judgement.log_loss, 0,
                   candidate.variances});
    if (all.back().variances.size() == 0) all.back().variances.setZero(views);
    for (const ChosenFit& choice : choices) {
      const Options& own = choice.candidate.options;
      if (own.scaling == options.scaling && own.C == options.C) all.back().weight = choice.weight;
    }
  }
  return all;
}

}  // namespace

Tuned tune(const Dataset& all, const Part& part, const Options& options, const Callbacks& callbacks,
           Checkpoint& checkpoint, TuningProgress& progress) {
  Dataset training = enough_of(all, part, most_labelled, options.seed);
  for (View& view : training.views) own_if_small(view);
  const auto most = static_cast<std::size_t>(options.fits);
  if (!can_be_tuned(training, options.tuning_folds)) {
    return untuned(candidates(options, plain_representations(options)), most);
  }
  checkpoint.add("tuning", progress);
  const std::vector<Candidate> first = candidates(
      options,
      compare_representations(training, options, callbacks, checkpoint, progress, part.cluster));
  if (first.size() == 1 && !options.calibrate) return untuned(first, most);

  Tuning tuning(std::move(training), options, callbacks, checkpoint, progress.folds, part.cluster);
  const std::vector<Judged> judged = tuning.judge_all(first);
  Tuned tuned;
  tuned.choices = stacked(best_of_scalings(judged));
  keep_heaviest_first(tuned.choices, most);
  tuned.tried = tried(judged, tuned.choices, std::ssize(all.views));
  return tuned;
}

}  // namespace m3lak
