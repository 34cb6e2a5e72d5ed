#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>

#include "data/fingerprint.h"
#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "m3lak/study.h"
#include "numeric/parallel.h"
#include "study/results_file.h"
#include "study/run_fold.h"
#include "study/significance.h"

namespace m3lak {

namespace {

/// A cell, and what it takes to compute it.
struct Job {
  const Dataset* data;
  std::shared_ptr<const Folds> folds;
  Method method;
  Cell cell;
  Circumstances circumstances;
};

void check_names(const std::vector<NamedData>& sets) {
  std::set<std::string> names;
  for (const NamedData& set : sets) {
    if (!names.insert(set.name).second) {
      throw BadUsage(fmt::format("two sets of data are called '{}'", set.name));
    }
    if (!set.data.labels) throw BadData(fmt::format("{}: has no labels", set.name));
  }
}

std::vector<Job> all_jobs(const std::vector<NamedData>& sets, const CompareOptions& options) {
  std::vector<Job> jobs;
  for (const std::uint64_t seed : options.seeds) {
    for (const NamedData& set : sets) {
      const auto folds =
          std::make_shared<const Folds>(stratified_folds(*set.data.labels, options.folds, seed));
      const std::string print = fingerprint(set.data);
      for (const Contender& contender : options.methods) {
        MethodSettings own = contender.settings;
        own.options.seed = seed;
        const Method method = method_of(contender.method, own);
        for (int fold = 0; fold < options.folds; ++fold) {
          jobs.push_back({&set.data,
                          folds,
                          method,
                          {set.name, contender.name, seed, fold, {}, 0, 0, 0, {}},
                          {print, fmt::format("{} folds={} {}", method.name, options.folds,
                                              method.settings)}});
        }
      }
    }
  }
  return jobs;
}

class Comparison {
 public:
  Comparison(const CompareOptions& options, const CompareCallbacks& callbacks)
      : options_(options), callbacks_(callbacks), file_(options.results, !options.only_finished) {}

  /// In the order of the jobs, whichever was finished first.
  std::vector<Cell> run(const std::vector<Job>& jobs) {
    std::vector<std::optional<Cell>> cells;
    std::vector<std::size_t> left;
    for (const Job& job : jobs) {
      cells.push_back(file_.find(job.cell, job.circumstances));
      if (!cells.back()) left.push_back(cells.size() - 1);
    }
    if (options_.only_finished) return finished(cells);
    total_ = static_cast<int>(left.size());
    if (left.size() < jobs.size() && callbacks_.note) {
      callbacks_.note(fmt::format("{} of {} cells were finished before", jobs.size() - left.size(),
                                  jobs.size()));
    }
    Workers workers(options_.threads);
    const bool inside = std::ssize(left) < workers.threads();
    const int threads = inside ? workers.threads() : 1;
    const auto each = [&](Index i) {
      const std::size_t job = left[static_cast<std::size_t>(i)];
      cells[job] = run_one(jobs[job], threads);
    };
    if (inside) {
      for (Index i = 0; i < std::ssize(left); ++i) each(i);
    } else {
      workers.run(std::ssize(left), each);
    }
    return finished(cells);
  }

 private:
  static std::vector<Cell> finished(const std::vector<std::optional<Cell>>& cells) {
    std::vector<Cell> all;
    for (const auto& cell : cells) {
      if (cell) all.push_back(*cell);
    }
    return all;
  }

  bool stop() {
    const std::lock_guard lock(mutex_);
    if (callbacks_.stop && callbacks_.stop()) stopped_ = true;
    return stopped_;
  }

  /// Nothing if it was stopped.
  std::optional<Cell> run_one(const Job& job, int threads) {
    if (stop()) return std::nullopt;
    Cell cell = job.cell;
    try {
      if (was_late(cell)) throw Stopped("as another fold was");
      cell.measures = run_fold(
          *job.data, *job.folds, cell.fold, job.method, threads, [&] { return stop(); },
          options_.seconds);
      cell.tested = std::ssize(job.folds->test(cell.fold));
      cell.trained = std::ssize(job.folds->train(cell.fold));
      file_.add(cell, job.circumstances);
    } catch (const Stopped&) {
      if (stop()) return std::nullopt;
      cell.failure = longer_than(options_.seconds);
      const std::lock_guard lock(mutex_);
      late_.emplace(cell.data, cell.method);
    } catch (const TooLarge& error) {
      cell.failure = "out of memory";
      tell(error.what());
    } catch (const std::bad_alloc&) {
      cell.failure = "out of memory";
    } catch (const BadData& error) {
      cell.failure = "failed";
      tell(fmt::format("{}, {}: {}", cell.data, cell.method, error.what()));
    }
    const std::lock_guard lock(mutex_);
    if (callbacks_.progress) callbacks_.progress(++done_, total_, cell);
    return cell;
  }

  /// On another fold of its set.
  bool was_late(const Cell& cell) {
    const std::lock_guard lock(mutex_);
    return late_.contains({cell.data, cell.method});
  }

  /// Each note once.
  void tell(const std::string& note) {
    const std::lock_guard lock(mutex_);
    if (told_.insert(note).second && callbacks_.note) callbacks_.note(note);
  }

  const CompareOptions& options_;
  const CompareCallbacks& callbacks_;
  ResultsFile file_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::set<std::string> told_;
  std::set<std::pair<std::string, std::string>> late_;  // data and method
  int done_ = 0, total_ = 0;                            // of the cells that are not in the file
};

}  // namespace

std::vector<Cell> compare(const std::vector<NamedData>& sets, const CompareOptions& options,
                          const CompareCallbacks& callbacks) {
  check_names(sets);
  return Comparison(options, callbacks).run(all_jobs(sets, options));
}

Summary summary(const std::vector<Cell>& cells, const std::string& data, const std::string& method,
                double Measures::*measure) {
  Summary result;
  double squares = 0;
  for (const Cell& cell : cells) {
    if (cell.data != data || cell.method != method) continue;
    if (!cell.failure.empty()) result.failure = cell.failure;
    const double value = cell.measures.*measure;
    if (!cell.failure.empty() || std::isnan(value)) continue;
    // Welford's running mean and sum of squares.
    ++result.folds;
    const double from_mean = value - result.mean;
    result.mean += from_mean / result.folds;
    squares += from_mean * (value - result.mean);
  }
  if (result.folds > 1) result.deviation = std::sqrt(squares / (result.folds - 1));
  return result;
}

Paired paired(const std::vector<Cell>& cells, const std::string& data, const std::string& method,
              const std::string& reference) {
  std::vector<double> differences;
  double shares = 0;
  for (const Cell& mine : cells) {
    if (mine.data != data || mine.method != method || !mine.failure.empty()) continue;
    const auto theirs = std::ranges::find_if(cells, [&](const Cell& cell) {
      return cell.data == data && cell.method == reference && cell.seed == mine.seed &&
             cell.fold == mine.fold && cell.failure.empty();
    });
    if (theirs == cells.end()) continue;
    differences.push_back(mine.measures.accuracy - theirs->measures.accuracy);
    shares += static_cast<double>(mine.tested) / static_cast<double>(mine.trained);
  }
  Paired result;
  result.folds = static_cast<int>(differences.size());
  if (differences.empty()) return result;
  for (const double d : differences) result.difference += d / result.folds;
  result.resampled_t = resampled_t(differences, shares / result.folds);
  result.wilcoxon = wilcoxon(differences);
  return result;
}

}  // namespace m3lak
