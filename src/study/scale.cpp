#include <fmt/format.h>

#include <algorithm>

#include "data/fingerprint.h"
#include "m3lak/error.h"
#include "m3lak/study.h"
#include "numeric/memory.h"
#include "numeric/random.h"
#include "numeric/steps.h"
#include "study/child.h"
#include "study/results_file.h"
#include "study/run_fold.h"

namespace m3lak {

namespace {

/// Who is tested, and the others in an order of which each beginning is a training set.
struct Split {
  std::vector<Index> tested, others;
};

Split split(const NamedData& set, Index largest, std::uint64_t seed) {
  const std::vector<int>& labels = set.data.labels->of;
  std::vector<Index> known;
  for (std::size_t n = 0; n < labels.size(); ++n) {
    if (labels[n] != Labels::unknown) known.push_back(static_cast<Index>(n));
  }
  if (largest >= std::ssize(known)) {
    throw BadUsage(
        fmt::format("--train {}: {} has {} instances with a label, and some have to be "
                    "left to test on",
                    largest, set.name, known.size()));
  }
  Stream stream({.seed = seed, .step = number(Step::folds), .index = 1});
  for (std::size_t i = known.size() - 1; i > 0; --i) {
    std::swap(known[i], known[stream.below(i + 1)]);
  }
  const auto end = known.begin() + largest;
  return {{end, known.end()}, {known.begin(), end}};
}

class Growth {
 public:
  Growth(const ScaleOptions& options, const CompareCallbacks& callbacks, std::size_t sets)
      : options_(options),
        callbacks_(callbacks),
        file_(options.results, !options.only_finished),
        total_(static_cast<int>(sets * options.methods.size() * options.train.size())) {
    std::ranges::sort(options_.train);
  }

  void run(const NamedData& set) {
    const Split parts = split(set, options_.train.back(), options_.seed);
    const std::string print = fingerprint(set.data);
    for (const Contender& contender : options_.methods) {
      MethodSettings own = contender.settings;
      own.options.seed = options_.seed;
      const Method method = method_of(contender.method, own);
      std::string failure;
      for (const Index count : options_.train) {
        if (stopped()) return;
        Cell cell{set.name, contender.name, options_.seed, 0, {}, count, std::ssize(parts.tested),
                  0,        failure};
        const Circumstances circumstances{
            print, fmt::format("{} scale={} of {} {}", method.name, count, options_.train.back(),
                               method.settings)};
        const auto found = file_.find(cell, circumstances);
        if (found) {
          cell = *found;
          --total_;
        } else if (options_.only_finished) {
          continue;
        } else if (failure.empty()) {
          run_cell(set.data, parts, method, cell);
          if (stopped()) return;
          if (cell.failure.empty()) file_.add(cell, circumstances);
        } else if (failure == longer_than(options_.seconds) &&
                   does_not_fit(set.data, parts, method, count)) {
          cell.failure = out_of_memory;
        }
        failure = cell.failure;
        cells_.push_back(cell);
        if (!found && callbacks_.progress) callbacks_.progress(++done_, total_, cell);
      }
    }
  }

  std::vector<Cell> cells() { return std::move(cells_); }

 private:
  bool stopped() const { return callbacks_.stop && callbacks_.stop(); }

  /// As far as the method itself says.
  bool does_not_fit(const Dataset& data, const Split& parts, const Method& method,
                    Index count) const {
    const Dataset training = data.select(first_of(parts, count));
    const double needed = method.make()->bytes(training, options_.threads);
    const double there = available_memory();
    if (needed <= there) return false;
    tell(fmt::format("{}: training on {} instances would need {} of memory, have {}", method.name,
                     count, bytes_text(needed), bytes_text(there)));
    return true;
  }

  static std::vector<Index> first_of(const Split& parts, Index count) {
    return {parts.others.begin(), parts.others.begin() + count};
  }

  void run_cell(const Dataset& data, const Split& parts, const Method& method, Cell& cell) {
    const std::vector<Index> trained = first_of(parts, cell.trained);
    const ChildResult result = in_child(
        [&] {
          try {
            return measures_json(
                       run_split(data, trained, parts.tested, method, options_.threads, {}))
                .dump();
          } catch (const TooLarge& error) {
            throw Error(too_large + error.what());
          }
        },
        options_.seconds, callbacks_.stop);
    cell.peak_bytes = result.peak_bytes;
    switch (result.end) {
      case ChildResult::End::returned:
        cell.measures = measures_of(Json::parse(result.text));
        break;
      case ChildResult::End::threw:
        tell(result.text);
        cell.failure = result.text.starts_with(too_large) ? out_of_memory : "failed";
        break;
      case ChildResult::End::too_long:
        cell.failure = longer_than(options_.seconds);
        break;
      case ChildResult::End::killed:
        tell(result.text);
        cell.failure = result.by_force ? out_of_memory : "failed";
        break;
      case ChildResult::End::stopped:
        break;
    }
  }

  void tell(const std::string& note) const {
    if (callbacks_.note) callbacks_.note(note);
  }

  static constexpr const char* out_of_memory = "out of memory";
  inline static const std::string too_large = "out of memory: ";  // before what a child says

  ScaleOptions options_;
  const CompareCallbacks& callbacks_;
  ResultsFile file_;
  int done_ = 0, total_;  // of the cells that are not in the file
  std::vector<Cell> cells_;
};

}  // namespace

std::vector<Cell> scale(const std::vector<NamedData>& sets, const ScaleOptions& options,
                        const CompareCallbacks& callbacks) {
  if (options.train.empty() || std::ranges::min(options.train) < 2) {
    throw BadUsage("--train: must be numbers of instances, of at least 2");
  }
  Growth growth(options, callbacks, sets.size());
  for (const NamedData& set : sets) {
    if (!set.data.labels) throw BadData(fmt::format("{}: has no labels", set.name));
    growth.run(set);
  }
  return growth.cells();
}

}  // namespace m3lak
