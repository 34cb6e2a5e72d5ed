#include "study/tune.h"

#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "numeric/parallel.h"

namespace m3lak {

namespace {

constexpr int largest_C = 10;

/// What one fit of the grid says about the instances it has not seen.
struct HeldOut {
  Index right = 0;
  std::vector<double> scores;
  std::vector<int> signs;
};

HeldOut hold_out(const Dataset& training, const Folds& folds, int fold, const Options& options,
                 const std::function<bool()>& stop) {
  const std::vector<Index> test = folds.test(fold);
  Dataset held = training.select(test);
  held.labels.reset();
  Callbacks callbacks;
  callbacks.stop = stop;
  const Model model = fit(training.select(folds.train(fold)), options, callbacks);
  const Prediction prediction = model.predict(held, 1);
  HeldOut result;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const int truth = training.labels->of[static_cast<std::size_t>(test[i])];
    result.right += prediction.label[i] == truth;
    const auto row = prediction.score.row(static_cast<Index>(i));
    for (Index c = 0; c < row.size(); ++c) {
      result.scores.push_back(row[c]);
      const bool positive = row.size() == 1 ? truth == 1 : truth == static_cast<int>(c);
      result.signs.push_back(positive ? 1 : -1);
    }
  }
  return result;
}

}  // namespace

Tuned tune(const Dataset& training, const Options& options, const Callbacks& callbacks) {
  const Folds folds = stratified_folds(*training.labels, options.tuning_folds, options.seed);
  const Index jobs = Index{largest_C} * folds.count;
  std::vector<HeldOut> results(static_cast<std::size_t>(jobs));
  std::mutex mutex;
  int done = 0;
  std::atomic<bool> stopped = false;
  const auto stop = [&] {
    const std::lock_guard lock(mutex);
    if (callbacks.stop && callbacks.stop()) stopped = true;
    return stopped.load();
  };
  Workers workers(options.threads);
  workers.run(jobs, [&](Index job) {
    if (stop()) return;
    Options own = options;
    own.C = 1 + static_cast<double>(job / folds.count);
    own.threads = 1;
    own.chains = 1;
    results[static_cast<std::size_t>(job)] =
        hold_out(training, folds, static_cast<int>(job % folds.count), own, stop);
    const std::lock_guard lock(mutex);
    ++done;
    if (callbacks.progress) callbacks.progress({"tuning C", done, static_cast<int>(jobs), {}});
  });
  if (stopped) throw Stopped("stopped while C was being chosen; nothing was drawn yet");

  Tuned tuned;
  double best = -1;
  for (int c = 0; c < largest_C; ++c) {
    HeldOut all;
    for (int fold = 0; fold < folds.count; ++fold) {
      const HeldOut& part = results[static_cast<std::size_t>(c * folds.count + fold)];
      all.right += part.right;
      all.scores.insert(all.scores.end(), part.scores.begin(), part.scores.end());
      all.signs.insert(all.signs.end(), part.signs.begin(), part.signs.end());
    }
    const auto known = static_cast<double>(training.labels->of.size()) -
                       static_cast<double>(training.labels->unknown_count());
    const double accuracy = static_cast<double>(all.right) / known;
    tuned.tried.emplace_back(c + 1, accuracy);
    if (accuracy <= best) continue;  // of equals, the smallest
    best = accuracy;
    tuned.C = c + 1;
    tuned.link = fit_link(all.scores, all.signs);
  }
  return tuned;
}

// Minimises the cross-entropy of targets (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) by Newton's method with
// halved steps (Lin, Lin and Weng 2007).
Link fit_link(const std::vector<double>& scores, const std::vector<int>& signs) {
  const auto positive = static_cast<double>(std::ranges::count(signs, 1));
  const auto negative = static_cast<double>(signs.size()) - positive;
  const double high = (positive + 1) / (positive + 2), low = 1 / (negative + 2);
  const auto loss = [&](const Eigen::Vector2d& at) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double z = at[0] * scores[i] + at[1], target = signs[i] > 0 ? high : low;
      sum += std::max(z, 0.0) - target * z + std::log1p(std::exp(-std::abs(z)));
    }
    return sum;
  };
  Eigen::Vector2d at(0, std::log((positive + 1) / (negative + 1)));
  double now = loss(at);
  for (int round = 0; round < 100; ++round) {
    Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
    Eigen::Matrix2d hessian = 1e-12 * Eigen::Matrix2d::Identity();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Eigen::Vector2d x(scores[i], 1);
      const double p = 1 / (1 + std::exp(-at.dot(x)));
      gradient += (p - (signs[i] > 0 ? high : low)) * x;
      hessian += p * (1 - p) * x * x.transpose();
    }
    if (gradient.cwiseAbs().maxCoeff() < 1e-8) break;
    const Eigen::Vector2d step = hessian.inverse() * gradient;
    double size = 1;
    while (size > 1e-10 && !(loss(at - size * step) < now - 1e-4 * size * gradient.dot(step))) {
      size /= 2;
    }
    if (size <= 1e-10) break;
    at -= size * step;
    now = loss(at);
  }
  return {at[0], at[1]};
}

}  // namespace m3lak
