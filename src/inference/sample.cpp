#include "inference/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>

#include "inference/chain.h"
#include "m3lak/error.h"
#include "model/rule.h"

namespace m3lak {

namespace {

/// How often training accuracy is looked at, unless it is wanted in the whole trace.
constexpr int looks = 20;

/// How many instances have their scores followed.
constexpr Index most_probes = 8;

/// Labelled instances, evenly spread over those of all processes: each a segment of its own. Those
/// of others have none.
std::vector<std::optional<Segment>> choose_probes(const Problem& problem, Cluster* cluster) {
  std::vector<Segment> labelled;
  for (const auto& segments : problem.segments) {
    for (const Segment& segment : segments) {
      for (Index n = 0; segment.labelled && n < segment.size; ++n) {
        labelled.push_back({segment.begin + n, 1, segment.pattern, true});
      }
    }
  }
  const auto own = std::ssize(labelled);
  std::vector<Index> counts{own};
  if (cluster) counts = values_of(*cluster, own);
  const Index all = std::accumulate(counts.begin(), counts.end(), Index{0});
  const Index before = std::accumulate(
      counts.begin(), counts.begin() + (cluster ? cluster->share().rank : 0), Index{0});
  const Index count = std::min(most_probes, all);
  std::vector<std::optional<Segment>> probes(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    const Index place = i * all / count - before;
    if (place < 0 || place >= own) continue;
    probes[static_cast<std::size_t>(i)] = labelled[static_cast<std::size_t>(place)];
  }
  return probes;
}

/// What processes tell each other after each iteration.
struct Vote {
  bool stop = false;
  double least = 0, most = 0;  ///< of a number that is the same for all
};

template <class Kind>
void transfer(Kind& archive, Vote& vote) {
  archive(vote.stop, vote.least, vote.most);
}

void combine(Vote& into, const Vote& from) {
  into.stop |= from.stop;
  into.least = std::min(into.least, from.least);
  into.most = std::max(into.most, from.most);
}

Rule<double> rule_of(const Problem& problem, const State& state) {
  RuleDraw draw{{}, map_of(state.omega), map_of(state.beta), map_of(state.gamma)};
  for (const ViewState& view : state.views) {
    draw.views.push_back({map_of(view.projection), view.gram, view.noise});
  }
  return Rule<double>(problem, {std::move(draw)});
}

/// One chain and what came of it.
struct Run {
  std::unique_ptr<Workers> alone;  ///< of a chain that has a thread of its own
  std::unique_ptr<Chain> chain;    ///< until it is done
  std::vector<Draw> draws;
  std::vector<TraceRow> trace;

  bool is_done(const Options& options) const { return std::ssize(trace) == options.iterations; }
};

/// Of a chain that is done, or has not begun, there is no state.
template <class Kind>
void transfer(Kind& archive, Run& run) {
  archive(run.draws, run.trace);
  bool has_state = run.chain != nullptr;
  archive(has_state);
  if (has_state && run.chain) archive(*run.chain);
}

/// What the chains of a fit share.
class Fit {
 public:
  Fit(const Problem& problem, const Options& options, const Callbacks& callbacks, Trace trace,
      DrawStore& store, Checkpoint& checkpoint, Cluster* cluster)
      : problem_(problem),
        options_(options),
        callbacks_(callbacks),
        trace_(trace),
        store_(store),
        checkpoint_(checkpoint),
        cluster_(cluster),
        probes_(choose_probes(problem, cluster)) {}

  void run_chain(int number, Workers* crew, const std::string& section, Run& run) {
    if (!crew) run.alone = std::make_unique<Workers>(1);
    Workers& workers = crew ? *crew : *run.alone;
    run.chain = std::make_unique<Chain>(problem_, options_, workers, number);
    if (checkpoint_.add(section, run)) count(run.trace.size());
    if (!is_first()) run.draws.clear();
    while (!run.is_done(options_) && !stopped_) {
      const int i = static_cast<int>(run.trace.size()) + 1;
      {
        const auto held = checkpoint_.hold();
        TraceRow row = run.chain->iterate();
        row.kept = i > options_.burn_in && (i - options_.burn_in) % options_.thin == 0;
        if (trace_ == Trace::whole) follow_scores(run.chain->state(), workers, row);
        if (row.kept && is_first()) run.draws.push_back(store_.keep(run.chain->draw()));
        run.trace.push_back(row);
      }
      checkpoint_.save_if_due(i);
      tell(run.trace.back());
    }
    const auto held = checkpoint_.hold();
    if (run.is_done(options_) && std::ranges::any_of(run.trace, &TraceRow::kept)) run.chain.reset();
  }

  bool stopped() const { return stopped_; }

 private:
  bool is_first() const { return !cluster_ || cluster_->is_first(); }

  void follow_scores(const State& state, Workers& workers, TraceRow& row) const {
    const Rule<double> rule = rule_of(problem_, state);
    row.probes = probe(rule);
    if (cluster_) sum_over(*cluster_, row.probes, [](Vector& a, const Vector& b) { a += b; });
    if (accuracy_is_due(row.iteration)) {
      row.training_accuracy = training_accuracy(workers, problem_, rule);
    }
  }

  bool accuracy_is_due(int iteration) const {
    const int every = std::max(1, options_.iterations / looks);
    return callbacks_.accuracy_in_trace || iteration % every == 0 ||
           iteration == options_.iterations;
  }

  /// The score of each probe's own class.
  Vector probe(const Rule<double>& rule) const {
    Vector scores = Vector::Zero(std::ssize(probes_));
    Rule<double>::Scored scored;
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      if (!probes_[i]) continue;
      Index own = 0;
      if (problem_.y.rows() > 1) problem_.y.col(probes_[i]->begin).maxCoeff(&own);
      rule.score(*probes_[i], scored);
      scores[static_cast<Index>(i)] = scored.f(0, own);
    }
    return scores;
  }

  void count(std::size_t iterations) {
    const std::lock_guard lock(mutex_);
    done_ += static_cast<int>(iterations);
  }

  void tell(const TraceRow& row) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (callbacks_.progress && is_first()) {
      callbacks_.progress({"sampling", done_, options_.iterations * options_.chains, row});
    }
    Vote vote{callbacks_.stop && callbacks_.stop(), row.log_joint, row.log_joint};
    if (cluster_) {
      sum_over(*cluster_, vote, combine);
      check_that_all_agree(vote, row.iteration);
    }
    if (vote.stop) stopped_ = true;
  }

  /// All draw the same global variables from the same sums, each by itself: that works as long as
  /// their arithmetic is the same.
  static void check_that_all_agree(const Vote& vote, int iteration) {
    if (vote.least == vote.most) return;
    throw Error(fmt::format(
        "iteration {}: the processes no longer agree with each other. They must run the same "
        "program on processors of the same kind; on different ones use a portable build without "
        "further levels (M3LAK_LEVELS)",
        iteration));
  }

  const Problem& problem_;
  const Options& options_;
  const Callbacks& callbacks_;
  Trace trace_;
  DrawStore& store_;
  Checkpoint& checkpoint_;
  Cluster* cluster_;
  std::vector<std::optional<Segment>> probes_;
  std::mutex mutex_;
  int done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

Sampled sample(const Problem& problem, const Options& options, const Callbacks& callbacks,
               Trace trace, DrawStore& store, Checkpoint& checkpoint, const std::string& name,
               Cluster* cluster) {
  Fit fit(problem, options, callbacks, trace, store, checkpoint, cluster);
  std::vector<Run> runs(static_cast<std::size_t>(options.chains));
  const auto section = [&](Index number) { return fmt::format("{}, chain {}", name, number); };
  Workers workers(options.threads, cluster);
  if (!cluster && options.chains >= workers.threads() && workers.threads() > 1) {
    workers.run(options.chains, [&](Index number) {
      fit.run_chain(static_cast<int>(number), nullptr, section(number),
                    runs[static_cast<std::size_t>(number)]);
    });
  } else {
    for (int number = 0; number < options.chains && !fit.stopped(); ++number) {
      fit.run_chain(number, &workers, section(number), runs[static_cast<std::size_t>(number)]);
    }
  }
  if (fit.stopped()) checkpoint.save();
  Sampled all;
  all.stopped = fit.stopped();
  for (std::size_t number = 0; number < runs.size(); ++number) {
    Run& run = runs[number];
    checkpoint.remove(section(static_cast<Index>(number)));
    all.chain_of.resize(all.chain_of.size() + run.draws.size(), static_cast<int>(number));
    std::ranges::move(run.draws, std::back_inserter(all.draws));
    std::ranges::move(run.trace, std::back_inserter(all.trace));
  }
  if (all.draws.empty() && runs.front().chain) {
    all.draws.push_back(runs.front().chain->draw());
    all.chain_of.push_back(0);
  }
  return all;
}

}  // namespace m3lak
