#include "study/tune.h"

#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>

#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "numeric/parallel.h"

namespace m3lak {

namespace {

constexpr int largest_C = 10;

/// More labelled instances are not needed to choose among a few fits.
constexpr Index most_labelled = 2000;

/// Fits of smaller weight are left out.
constexpr double least_weight = 0.05;

/// The settings of one fit, without anything left to choose.
std::vector<Options> candidates(const Options& options) {
  std::vector<Scaling> scalings = {options.scaling};
  if (options.scaling == Scaling::automatic) {
    scalings = {Scaling::center, Scaling::standardize, Scaling::equal_variance};
  }
  std::vector<Options> all;
  for (const Scaling scaling : scalings) {
    for (int c = 1; c <= (options.C == 0 ? largest_C : 1); ++c) {
      Options& own = all.emplace_back(options);
      own.scaling = scaling;
      if (options.C == 0) own.C = c;
      own.calibrate = false;
    }
  }
  return all;
}

/// Scores of held-out instances, one row each, and their labels.
struct HeldOut {
  Matrix scores;
  std::vector<int> truth;
};

HeldOut hold_out(const Dataset& training, const Folds& folds, int fold, const Options& options,
                 const std::function<bool()>& stop) {
  const std::vector<Index> test = folds.test(fold);
  Dataset held = training.select(test);
  held.labels.reset();
  Callbacks callbacks;
  callbacks.stop = stop;
  const Model model = fit(training.select(folds.train(fold)), options, callbacks);
  HeldOut result{model.predict(held, 1).score, {}};
  for (const Index n : test) {
    result.truth.push_back(training.labels->of[static_cast<std::size_t>(n)]);
  }
  return result;
}

/// What is known of a candidate once all its folds are done.
struct Judged {
  Tried tried;
  Link link;
  Vector p;  ///< of the true class, instance by instance
};

Judged judge(const Options& options, const std::vector<const HeldOut*>& folds, bool intercept) {
  std::vector<double> scores;
  std::vector<int> signs;
  for (const HeldOut* fold : folds) {
    for (Index n = 0; n < fold->scores.rows(); ++n) {
      const auto row = fold->scores.row(n);
      const int truth = fold->truth[static_cast<std::size_t>(n)];
      for (Index c = 0; c < row.size(); ++c) {
        scores.push_back(row[c]);
        const bool positive = row.size() == 1 ? truth == 1 : truth == static_cast<int>(c);
        signs.push_back(positive ? 1 : -1);
      }
    }
  }
  Judged judged{{options.scaling, options.C}, fit_link(scores, signs, intercept), {}};
  std::vector<double> p;
  Index right = 0;
  for (const HeldOut* fold : folds) {
    for (Index n = 0; n < fold->scores.rows(); ++n) {
      const Vector all = probabilities(judged.link, fold->scores.row(n).transpose());
      const int truth = fold->truth[static_cast<std::size_t>(n)];
      Index best = 0;
      all.maxCoeff(&best);
      right += best == truth;
      p.push_back(std::max(all[truth], 1e-9));
    }
  }
  judged.p = Eigen::Map<const Vector>(p.data(), std::ssize(p));
  judged.tried.accuracy = static_cast<double>(right) / static_cast<double>(p.size());
  judged.tried.log_loss = -judged.p.array().log().mean();
  return judged;
}

/// Of each scaling, the candidate of the largest accuracy; of equals, the first.
std::vector<std::size_t> best_of_scalings(const std::vector<Judged>& judged) {
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (best.empty() || judged[best.back()].tried.scaling != judged[i].tried.scaling) {
      best.push_back(i);
    } else if (judged[i].tried.accuracy > judged[best.back()].tried.accuracy) {
      best.back() = i;
    }
  }
  return best;
}

void keep_heaviest_first(Tuned& tuned) {
  std::ranges::stable_sort(tuned.choices, std::greater<>(), &ChosenFit::weight);
  while (tuned.choices.size() > 1 && tuned.choices.back().weight < least_weight) {
    tuned.choices.pop_back();
  }
  double sum = 0;
  for (const ChosenFit& choice : tuned.choices) sum += choice.weight;
  for (ChosenFit& choice : tuned.choices) choice.weight /= sum;
}

/// All candidates with the same weight, where there is too little data to tell them apart.
Tuned untuned(const std::vector<Options>& candidates) {
  Tuned tuned;
  for (const Options& options : candidates) {
    const bool is_first_of_scaling =
        tuned.choices.empty() || tuned.choices.back().options.scaling != options.scaling;
    if (is_first_of_scaling) tuned.choices.push_back({options, {}, 1});
  }
  keep_heaviest_first(tuned);
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

/// As much of the training data as it takes to choose: classes in their proportions.
Dataset enough_of(const Dataset& training, std::uint64_t seed) {
  const Index labelled = training.instances() - training.labels->unknown_count();
  if (labelled <= most_labelled) return training;
  const auto parts = static_cast<int>((labelled + most_labelled - 1) / most_labelled);
  return training.select(stratified_folds(*training.labels, parts, seed).test(0));
}

}  // namespace

Tuned tune(const Dataset& all, const Options& options, const Callbacks& callbacks) {
  const std::vector<Options> tried = candidates(options);
  if (tried.size() == 1 && !options.calibrate) return untuned(tried);
  const Dataset training = enough_of(all, options.seed);
  if (!can_be_tuned(training, options.tuning_folds)) return untuned(tried);

  const Folds folds = stratified_folds(*training.labels, options.tuning_folds, options.seed);
  const auto jobs = static_cast<Index>(tried.size()) * folds.count;
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
    Options own = tried[static_cast<std::size_t>(job / folds.count)];
    own.threads = 1;
    own.chains = 1;
    if (options.calibrate) {  // without, as it is in the paper: the very fit that is to be made
      own.iterations -= (own.iterations - own.burn_in) / 2;
      own.thin = 0;
    }
    results[static_cast<std::size_t>(job)] =
        hold_out(training, folds, static_cast<int>(job % folds.count), own, stop);
    const std::lock_guard lock(mutex);
    ++done;
    if (callbacks.progress) callbacks.progress({"tuning", done, static_cast<int>(jobs), {}});
  });
  if (stopped) throw Stopped("stopped while the fit was being tuned; nothing was drawn yet");

  std::vector<Judged> judged;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    std::vector<const HeldOut*> own;
    for (int fold = 0; fold < folds.count; ++fold) {
      own.push_back(
          &results[i * static_cast<std::size_t>(folds.count) + static_cast<std::size_t>(fold)]);
    }
    judged.push_back(judge(tried[i], own, options.calibrate));
  }
  const std::vector<std::size_t> best = best_of_scalings(judged);
  Matrix p(judged.front().p.size(), std::ssize(best));
  for (std::size_t k = 0; k < best.size(); ++k) p.col(static_cast<Index>(k)) = judged[best[k]].p;
  const Vector weights = stacking_weights(p);

  Tuned tuned;
  for (std::size_t k = 0; k < best.size(); ++k) {
    tuned.choices.push_back({tried[best[k]], judged[best[k]].link, weights[static_cast<Index>(k)]});
  }
  keep_heaviest_first(tuned);
  for (Judged& each : judged) {
    for (const ChosenFit& choice : tuned.choices) {
      if (choice.options.scaling == each.tried.scaling && choice.options.C == each.tried.C) {
        each.tried.weight = choice.weight;
      }
    }
    tuned.tried.push_back(each.tried);
  }
  return tuned;
}

Vector stacking_weights(const Matrix& p) {
  constexpr int rounds = 500;
  Vector w = Vector::Constant(p.cols(), 1 / static_cast<double>(p.cols()));
  for (int round = 0; round < rounds; ++round) {
    const Vector total = p * w;
    const Vector ratios = p.transpose() * total.cwiseInverse();
    w = w.cwiseProduct(ratios) / static_cast<double>(p.rows());
  }
  return w / w.sum();
}

// Minimises the cross-entropy of targets (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) by Newton's method with
// halved steps (Lin, Lin and Weng 2007).
Link fit_link(const std::vector<double>& scores, const std::vector<int>& signs, bool intercept) {
  const auto positive = static_cast<double>(std::ranges::count(signs, 1));
  const auto negative = static_cast<double>(signs.size()) - positive;
  const double one = intercept ? 1 : 0;
  const double high = (positive + 1) / (positive + 2), low = 1 / (negative + 2);
  const auto loss = [&](const Eigen::Vector2d& at) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double z = at[0] * scores[i] + one * at[1], target = signs[i] > 0 ? high : low;
      sum += std::max(z, 0.0) - target * z + std::log1p(std::exp(-std::abs(z)));
    }
    return sum;
  };
  Eigen::Vector2d at(0, one * std::log((positive + 1) / (negative + 1)));
  double now = loss(at);
  for (int round = 0; round < 100; ++round) {
    Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
    Eigen::Matrix2d hessian = 1e-12 * Eigen::Matrix2d::Identity();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Eigen::Vector2d x(scores[i], one);
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
