#include "inference/sample.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "inference/chain.h"
#include "model/rule.h"

namespace m3lak {

namespace {

/// How often training accuracy is looked at, unless it is wanted in the whole trace.
constexpr int looks = 20;

/// How many instances have their scores followed.
constexpr Index most_probes = 8;

/// Labelled instances, evenly spread: each a segment of its own.
std::vector<Segment> choose_probes(const Problem& problem) {
  std::vector<Segment> labelled;
  for (const auto& segments : problem.segments) {
    for (const Segment& segment : segments) {
      for (Index n = 0; segment.labelled && n < segment.size; ++n) {
        labelled.push_back({segment.begin + n, 1, segment.pattern, true});
      }
    }
  }
  const Index count = std::min(most_probes, std::ssize(labelled));
  std::vector<Segment> probes;
  for (Index i = 0; i < count; ++i) {
    probes.push_back(labelled[static_cast<std::size_t>(i * std::ssize(labelled) / count)]);
  }
  return probes;
}

Rule<double> rule_of(const Problem& problem, const State& state) {
  RuleDraw draw{{}, state.omega, state.beta, state.gamma};
  for (const ViewState& view : state.views) {
    draw.views.push_back({view.projection, view.gram, view.noise});
  }
  return Rule<double>(problem, {std::move(draw)});
}

struct ChainResult : Sampled {
  std::optional<Draw> unfinished;  ///< the last state of a chain that was stopped in burn-in
};

/// What the chains of a fit share.
class Fit {
 public:
  Fit(const Problem& problem, const Options& options, const Callbacks& callbacks, Trace trace)
      : problem_(problem),
        options_(options),
        callbacks_(callbacks),
        trace_(trace),
        probes_(choose_probes(problem)) {}

  ChainResult run_chain(int number, Workers& workers) {
    ChainResult result;
    Chain chain(problem_, options_, workers, number);
    for (int i = 1; i <= options_.iterations && !stopped_; ++i) {
      TraceRow row = chain.iterate();
      row.kept = i > options_.burn_in && (i - options_.burn_in) % options_.thin == 0;
      if (trace_ == Trace::whole) follow_scores(chain.state(), workers, row);
      if (row.kept) result.draws.push_back(chain.draw());
      result.trace.push_back(row);
      tell(row);
    }
    if (result.draws.empty()) result.unfinished = chain.draw();
    result.chain_of.assign(result.draws.size(), number);
    return result;
  }

  bool stopped() const { return stopped_; }

 private:
  void follow_scores(const State& state, Workers& workers, TraceRow& row) const {
    const Rule<double> rule = rule_of(problem_, state);
    row.probes = probe(rule);
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
    Vector scores(std::ssize(probes_));
    Rule<double>::Scored scored;
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      Index own = 0;
      if (problem_.y.rows() > 1) problem_.y.col(probes_[i].begin).maxCoeff(&own);
      rule.score(probes_[i], scored);
      scores[static_cast<Index>(i)] = scored.f(0, own);
    }
    return scores;
  }

  void tell(const TraceRow& row) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (callbacks_.progress) {
      callbacks_.progress({"sampling", done_, options_.iterations * options_.chains, row});
    }
    if (callbacks_.stop && callbacks_.stop()) stopped_ = true;
  }

  const Problem& problem_;
  const Options& options_;
  const Callbacks& callbacks_;
  Trace trace_;
  std::vector<Segment> probes_;
  std::mutex mutex_;
  int done_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

Sampled sample(const Problem& problem, const Options& options, const Callbacks& callbacks,
               Trace trace) {
  Fit fit(problem, options, callbacks, trace);
  std::vector<ChainResult> chains(static_cast<std::size_t>(options.chains));
  Workers workers(options.threads);
  if (options.chains >= workers.threads() && workers.threads() > 1) {
    workers.run(options.chains, [&](Index number) {
      Workers alone(1);
      chains[static_cast<std::size_t>(number)] = fit.run_chain(static_cast<int>(number), alone);
    });
  } else {
    for (int number = 0; number < options.chains && !fit.stopped(); ++number) {
      chains[static_cast<std::size_t>(number)] = fit.run_chain(number, workers);
    }
  }
  Sampled all;
  all.stopped = fit.stopped();
  for (ChainResult& chain : chains) {
    std::ranges::move(chain.draws, std::back_inserter(all.draws));
    std::ranges::move(chain.chain_of, std::back_inserter(all.chain_of));
    std::ranges::move(chain.trace, std::back_inserter(all.trace));
  }
  if (all.draws.empty()) {
    all.draws.push_back(std::move(chains.front().unfinished.value()));
    all.chain_of.push_back(0);
  }
  return all;
}

}  // namespace m3lak
