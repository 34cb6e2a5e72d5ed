#include "rivals/mvmed/mvmed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "m3lak/error.h"
#include "rivals/distances.h"
#include "rivals/mvmed/kernels.h"
#include "rivals/mvmed/machine.h"
#include "rivals/mvmed/solver.h"

namespace m3lak {

namespace {

using med::CachedKernels;
using med::ConstantMachine;
using med::KernelMachine;
using med::Kernels;
using med::Solver;
using med::TrainingViews;
using med::WholeKernels;

constexpr double bytes_a_number = sizeof(double);

void require(bool is_met, std::string_view name, double value, std::string_view rule) {
  if (!is_met) throw BadUsage(fmt::format("`{} = {}`: must be {}", name, value, rule));
}

void check(const MvmedOptions& options) {
  require(!options.c.empty(), "number of c", 0, "at least 1");
  require(!options.f.empty(), "number of f", 0, "at least 1");
  for (const double c : options.c) require(c > 0 && std::isfinite(c), "c", c, "above 0");
  for (const double f : options.f) require(f > 0 && std::isfinite(f), "f", f, "above 0");
  require(options.tolerance > 0, "tolerance", options.tolerance, "above 0");
  require(options.most_steps >= 1, "most_steps", static_cast<double>(options.most_steps),
          "at least 1");
  require(options.memory >= 0, "memory", options.memory, "at least 0");
}

double memory_of(const MvmedOptions& options) {
  return options.memory > 0 ? options.memory : 0x1p30;
}

/// At most so many rows: the median of all pairs' distances is known well enough from these.
constexpr Index rows_for_median = 2000;

/// What fits into memory. What is computed does not depend on it.
struct Plan {
  Plan(double memory, Index instances, Index views, Index widths) {
    const double column = bytes_a_number * static_cast<double>(instances);
    const double kernel = column * static_cast<double>(instances * views);
    is_whole = 2 * kernel <= memory;
    const auto all = static_cast<double>(widths),
               all_columns = static_cast<double>(instances * views);
    at_once = is_whole ? static_cast<Index>(std::min(all, memory / kernel - 1)) : widths;
    columns = static_cast<Index>(std::max(2.0, std::min(all_columns, memory / (column * all))));
    // Before there are kernels: distances of some rows, and a list of them that grows.
    const auto sorted = static_cast<double>(std::min(instances, rows_for_median));
    const double median = 3.5 * bytes_a_number * sorted * sorted;
    bytes = is_whole ? kernel + std::max(kernel * static_cast<double>(at_once), median)
                     : std::max(column * all * static_cast<double>(columns), median);
  }

  bool is_whole;  ///< kernels are kept as they are, and all distances
  Index at_once;  ///< so many widths at the same time
  Index columns;  ///< if not whole: so many are kept of each width
  double bytes;   ///< at most
};

DenseMatrix some_of(const DenseMatrix& rows) {
  const Index every = (rows.rows() + rows_for_median - 1) / rows_for_median;
  return rows(Eigen::seq(0, rows.rows() - 1, every), Eigen::all);
}

/// Settings of one width, by increasing c.
struct OfWidth {
  double f = 1;
  std::vector<std::size_t> which;  ///< places in the list of settings that are asked for
  std::vector<double> c;           ///< of each of these
};

class Training {
 public:
  Training(const MvmedOptions& options, const Dataset& data, const Vector& y, Workers& workers,
           const std::function<bool()>& stop)
      : options_(options),
        y_(y),
        workers_(workers),
        stop_(stop),
        views_(std::make_shared<TrainingViews>(data)) {}

  bool has_views() const { return !views_->rows().empty(); }

  void run(const std::vector<OfWidth>& all, std::vector<std::unique_ptr<Machine>>& machines) {
    const Plan plan(memory_of(options_), y_.size(), std::ssize(views_->rows()), std::ssize(all));
    measure(plan);
    Workers alone(1);
    for (Index begin = 0; begin < std::ssize(all); begin += plan.at_once) {
      const Index count = std::min(plan.at_once, std::ssize(all) - begin);
      // Widths are shared out among the workers, or the instances of one.
      Workers& inside = count == 1 ? workers_ : alone;
      std::vector<std::unique_ptr<Kernels>> kernels;
      for (Index i = 0; i < count; ++i) {
        stop_if(stop_);
        kernels.push_back(kernels_of(all[static_cast<std::size_t>(begin + i)].f, plan, inside));
      }
      const auto train_one = [&](Index i) {
        train(all[static_cast<std::size_t>(begin + i)], *kernels[static_cast<std::size_t>(i)],
              inside, machines);
      };
      if (count == 1) {
        train_one(0);
      } else {
        workers_.run(count, train_one);
      }
    }
  }

 private:
  void measure(const Plan& plan) {
    for (const DenseMatrix& rows : views_->rows()) {
      stop_if(stop_);
      if (plan.is_whole) distances_.push_back(med::Distances(rows).all(workers_));
      if (plan.is_whole && rows.rows() <= rows_for_median) {
        medians_.push_back(median_distance(distances_.back()));
      } else {
        const DenseMatrix some = some_of(rows);
        medians_.push_back(median_distance(med::Distances(some).all(workers_)));
      }
    }
  }

  std::vector<double> widths_of(double f) const {
    std::vector<double> widths;
    for (const double median : medians_) widths.push_back(f * median);
    return widths;
  }

  std::unique_ptr<Kernels> kernels_of(double f, const Plan& plan, Workers& inside) {
    const std::vector<double> widths = widths_of(f);
    if (!plan.is_whole) {
      return std::make_unique<CachedKernels>(inside, views_->rows(), widths, plan.columns);
    }
    std::vector<Matrix> of_view;
    for (std::size_t v = 0; v < widths.size(); ++v) {
      of_view.push_back(med::kernel(workers_, distances_[v], widths[v]));
    }
    return std::make_unique<WholeKernels>(inside, std::move(of_view));
  }

  /// The solution for one c is where the search for the next begins.
  void train(const OfWidth& settings, Kernels& kernels, Workers& workers,
             std::vector<std::unique_ptr<Machine>>& machines) const {
    Solver solver(workers, kernels, y_, {options_.box, options_.tolerance, options_.most_steps});
    for (std::size_t i = 0; i < settings.which.size(); ++i) {
      solver.set_c(settings.c[i]);
      solver.solve(stop_);
      machines[settings.which[i]] = std::make_unique<KernelMachine>(
          views_, widths_of(settings.f), y_.asDiagonal() * solver.lambda(), solver.biases());
    }
  }

  const MvmedOptions& options_;
  const Vector& y_;
  Workers& workers_;
  const std::function<bool()>& stop_;
  std::shared_ptr<const TrainingViews> views_;
  std::vector<Matrix> distances_;  ///< squared; of each view, if they fit into memory
  std::vector<double> medians_;
};

class Mvmed : public Rival {
 public:
  explicit Mvmed(MvmedOptions options) : options_(std::move(options)) { check(options_); }

  std::size_t settings() const override { return options_.c.size() * options_.f.size(); }

  std::string describe(std::size_t setting) const override {
    const double f = f_of(setting), whole = std::round(1 / f);
    return f < 1 && 1 / f == whole ? fmt::format("c = {}, f = 1/{}", c_of(setting), whole)
                                   : fmt::format("c = {}, f = {}", c_of(setting), f);
  }

  double bytes(const Size& training, int) const override {
    const auto N = static_cast<double>(training.instances);
    const auto V = static_cast<double>(training.features.size());
    double features = 0;
    for (const Index of_view : training.features) features += static_cast<double>(of_view);
    const Plan plan(memory_of(options_), training.instances, std::ssize(training.features),
                    std::ssize(options_.f));
    // Scaled views and their rows; weights of all machines; what the solvers know of each instance.
    return plan.bytes + bytes_a_number * N *
                            (2 * features + static_cast<double>(settings()) * V +
                             static_cast<double>(plan.at_once) * (4 * V + 2));
  }

  std::shared_ptr<const Rival> with_memory(double bytes) const override {
    if (options_.memory > 0) return nullptr;
    MvmedOptions with = options_;
    with.memory = bytes;
    return std::make_shared<Mvmed>(std::move(with));
  }

  std::vector<std::unique_ptr<Machine>> train(const Dataset& data, const Vector& y,
                                              std::span<const std::size_t> settings,
                                              Workers& workers,
                                              const std::function<bool()>& stop) const override {
    stop_if(stop);
    Training training(options_, data, y, workers, stop);
    std::vector<std::unique_ptr<Machine>> machines(settings.size());
    std::vector<OfWidth> all;
    for (const std::size_t i : by_f_and_c(settings)) {
      const double f = f_of(settings[i]), c = c_of(settings[i]);
      if (!training.has_views() || (c <= 1 && !options_.box)) {
        constexpr double hardly_sure = 1e-9;
        machines[i] = std::make_unique<ConstantMachine>(y.sum() > 0 ? hardly_sure : -hardly_sure);
        continue;
      }
      if (all.empty() || all.back().f != f) all.push_back({f, {}, {}});
      all.back().which.push_back(i);
      all.back().c.push_back(c);
    }
    if (!all.empty()) training.run(all, machines);
    return machines;
  }

 private:
  double c_of(std::size_t setting) const { return options_.c[setting / options_.f.size()]; }
  double f_of(std::size_t setting) const { return options_.f[setting % options_.f.size()]; }

  std::vector<std::size_t> by_f_and_c(std::span<const std::size_t> settings) const {
    std::vector<std::size_t> order(settings.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return std::pair(f_of(settings[i]), c_of(settings[i])); });
    return order;
  }

  MvmedOptions options_;
};

}  // namespace

std::unique_ptr<Rival> mvmed(MvmedOptions options) {
  return std::make_unique<Mvmed>(std::move(options));
}

}  // namespace m3lak
