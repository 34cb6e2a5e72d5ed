// Methods side by side: the same folds for all, and tables of what came out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "m3lak/classifier.h"
#include "m3lak/evaluate.h"
#include "m3lak/export.h"

namespace m3lak {

struct M3LAK_API NamedData {
  std::string name;
  Dataset data;
};

/// What is computed once: one method on one fold of one set of data.
struct M3LAK_API Cell {
  std::string data;
  std::string method;
  std::uint64_t seed = 1;  ///< of the folds and of the method
  int fold = 0;
  Measures measures;
  Index trained = 0;      ///< on how many instances
  Index tested = 0;       ///< how many
  double peak_bytes = 0;  ///< memory of its process, data included, where it had one of its own
  std::string failure;  ///< why there are no measures: "out of memory", "longer than …", "failed"
};

/// A method with settings, under a name of its own; the seed is that of the folds.
struct M3LAK_API Contender {
  std::string name;
  std::string method;
  MethodSettings settings;
};

struct M3LAK_API CompareOptions {
  std::vector<Contender> methods;
  int folds = 10;
  std::vector<std::uint64_t> seeds = {1};
  int threads = 0;

  /// A cell that takes longer to train is ended, and the method not tried on the set's other folds.
  double seconds = std::numeric_limits<double>::infinity();

  /// Finished cells are kept here, one line of JSON each, and are not computed again. Empty: they
  /// are not kept.
  std::filesystem::path results;

  bool only_finished = false;  ///< the cells that are there, and nothing is computed
};

struct M3LAK_API CompareCallbacks {
  /// Called from one thread at a time; counts the cells that were not finished before.
  std::function<void(int done, int total, const Cell& last)> progress;
  std::function<void(const std::string& note)> note;
  std::function<bool()> stop;
};

/// All methods on all folds of all sets, cells in parallel; seed after seed, set after set, method
/// after method. What was stopped lacks the cells that were not finished. A method that fails on a
/// fold has a cell that says why. Throws BadUsage if a method does not exist or two sets have one
/// name, and BadData if a set cannot be split.
M3LAK_API std::vector<Cell> compare(const std::vector<NamedData>& sets,
                                    const CompareOptions& options,
                                    const CompareCallbacks& callbacks = {});

/// The paired comparison of a method with a reference, fold by fold, on one set.
struct M3LAK_API Paired {
  double difference = 0;   ///< mean accuracy of the method less that of the reference
  double resampled_t = 1;  ///< p of the corrected resampled t-test
  double wilcoxon = 1;     ///< p of Wilcoxon's signed-rank test
  int folds = 0;           ///< that both have
};

M3LAK_API Paired paired(const std::vector<Cell>& cells, const std::string& data,
                        const std::string& method, const std::string& reference);

struct M3LAK_API ScaleOptions {
  std::vector<Contender> methods;
  std::vector<Index> train = {1000, 2000, 3000, 5000, 10000};  ///< on how many instances
  std::uint64_t seed = 1;
  int threads = 0;
  double seconds = 3600;          ///< a cell that takes longer is ended
  std::filesystem::path results;  ///< as in CompareOptions
  bool only_finished = false;     ///< as in CompareOptions
};

/// Each method on training sets of growing size, each of them part of the next, tested on what the
/// largest leaves. One cell after the other, each in a process of its own with all threads; cells
/// that failed say "out of memory" or "longer than …". A method that failed on one size is not
/// tried on larger ones, which say the same, or "out of memory" after "longer than …" where that is
/// what the method would need. To be called while the process has no other threads. Throws BadUsage
/// if a set is too small.
M3LAK_API std::vector<Cell> scale(const std::vector<NamedData>& sets, const ScaleOptions& options,
                                  const CompareCallbacks& callbacks = {});

/// Tables in Markdown: accuracy, seconds of training and peak memory by method and size.
M3LAK_API std::string scale_markdown(const std::vector<Cell>& cells,
                                     const std::vector<std::string>& sets,
                                     const std::vector<std::string>& methods);

/// Mean and standard deviation of a measure over the folds of a set that have it.
struct M3LAK_API Summary {
  double mean = 0;
  double deviation = 0;
  int folds = 0;
  std::string failure;  ///< of a fold that failed
};

M3LAK_API Summary summary(const std::vector<Cell>& cells, const std::string& data,
                          const std::string& method, double Measures::*measure);

/// Tables in Markdown: accuracy in percent with the best in bold and the average, its paired
/// comparison with the first method, AUC, log-loss, calibration error and seconds.
M3LAK_API std::string compare_markdown(const std::vector<Cell>& cells,
                                       const std::vector<std::string>& sets,
                                       const std::vector<std::string>& methods);

}  // namespace m3lak
