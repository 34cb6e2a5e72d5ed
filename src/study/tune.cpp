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
#include "study/fit_one.h"

namespace m3lak {

namespace {

constexpr int largest_C = 10;

/// More labelled instances are not needed to choose among a few fits.
constexpr Index most_labelled = 1000;

/// Fits of smaller weight are left out, and so are all but the heaviest few.
constexpr double least_weight = 0.05;
constexpr std::size_t most_members = 4;

/// With so many scalings other C are looked at.
constexpr std::size_t most_varied = 2;

std::vector<Scaling> scalings(const Options& options) {
  if (options.scaling != Scaling::automatic) return {options.scaling};
  return {Scaling::center, Scaling::standardize, Scaling::equal_variance};
}

bool is_varied(const Options& options) {
  return options.calibrate && options.vary_C && options.C > 0;
}

/// The settings of one fit for each scaling, and for each C that is to be chosen.
std::vector<Options> candidates(const Options& options) {
  std::vector<Options> all;
  for (const Scaling scaling : scalings(options)) {
    for (int c = 1; c <= (options.C == 0 ? largest_C : 1); ++c) {
      Options& own = all.emplace_back(options);
      own.scaling = scaling;
      if (options.C == 0) own.C = c;
    }
  }
  return all;
}

/// The same fit with a harder margin, and with a sharper posterior.
std::vector<Options> variants(const Options& options) {
  std::vector<Options> both(2, options);
  both[0].C *= 5;
  both[1].C *= 10;
  both[1].weight_precision *= 10;
  return both;
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
  const Model model(
      fit_one(training.select(folds.train(fold)), options, callbacks, Trace::without_scores));
  HeldOut result{model.predict(held, 1).score, {}};
  for (const Index n : test) {
    result.truth.push_back(training.labels->of[static_cast<std::size_t>(n)]);
  }
  return result;
}

/// What is known of a candidate once all its folds are done.
struct Judged {
  Options options;
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
  Judged judged{options,
                {options.scaling, options.C, options.weight_precision},
                fit_link(scores, signs, intercept),
                {}};
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
std::vector<Judged> best_of_scalings(const std::vector<Judged>& judged) {
  std::vector<Judged> best;
  for (const Judged& each : judged) {
    if (best.empty() || best.back().tried.scaling != each.tried.scaling) {
      best.push_back(each);
    } else if (each.tried.accuracy > best.back().tried.accuracy) {
      best.back() = each;
    }
  }
  return best;
}

/// The average of candidates that gives held-out labels the largest probability, heaviest first.
std::vector<ChosenFit> stacked(const std::vector<Judged>& judged) {
  Matrix p(judged.front().p.size(), std::ssize(judged));
  for (std::size_t k = 0; k < judged.size(); ++k) p.col(static_cast<Index>(k)) = judged[k].p;
  const Vector weights = stacking_weights(p);
  std::vector<ChosenFit> choices;
  for (std::size_t k = 0; k < judged.size(); ++k) {
    choices.push_back({judged[k].options, judged[k].link, weights[static_cast<Index>(k)]});
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
Tuned untuned(const std::vector<Options>& candidates) {
  Tuned tuned;
  for (const Options& options : candidates) {
    const bool is_first_of_scaling =
        tuned.choices.empty() || tuned.choices.back().options.scaling != options.scaling;
    if (is_first_of_scaling) tuned.choices.push_back({options, {}, 1});
  }
  keep_heaviest_first(tuned.choices, most_members);
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

/// The cross-validation.
class Tuning {
 public:
  Tuning(Dataset training, const Options& options, const Callbacks& callbacks)
      : training_(std::move(training)),
        options_(options),
        callbacks_(callbacks),
        folds_(stratified_folds(*training_.labels, options.tuning_folds, options.seed)) {}

  /// `later`: how many candidates may follow.
  std::vector<Judged> judge_all(const std::vector<Options>& candidates, std::size_t later) {
    const auto jobs = static_cast<int>(candidates.size()) * folds_.count;
    const int total = done_ + jobs + static_cast<int>(later) * folds_.count;
    std::vector<HeldOut> results(static_cast<std::size_t>(jobs));
    Workers workers(options_.threads);
    workers.run(jobs, [&](Index job) {
      if (stop()) return;
      const Options& own = candidates[static_cast<std::size_t>(job / folds_.count)];
      results[static_cast<std::size_t>(job)] =
          hold_out(training_, folds_, static_cast<int>(job % folds_.count), shortened(own),
                   [&] { return stop(); });
      const std::lock_guard lock(mutex_);
      ++done_;
      if (callbacks_.progress) callbacks_.progress({"tuning", done_, total, {}});
    });
    if (stopped_) throw Stopped("stopped while the fit was being tuned; nothing was drawn yet");
    std::vector<Judged> judged;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      std::vector<const HeldOut*> own;
      for (int fold = 0; fold < folds_.count; ++fold) {
        own.push_back(
            &results[i * static_cast<std::size_t>(folds_.count) + static_cast<std::size_t>(fold)]);
      }
      judged.push_back(judge(candidates[i], own, options_.calibrate));
    }
    return judged;
  }

 private:
  bool stop() {
    const std::lock_guard lock(mutex_);
    if (callbacks_.stop && callbacks_.stop()) stopped_ = true;
    return stopped_;
  }

  Dataset training_;
  const Options& options_;
  const Callbacks& callbacks_;
  Folds folds_;
  std::mutex mutex_;
  int done_ = 0;
  std::atomic<bool> stopped_ = false;
};

std::vector<Tried> tried(const std::vector<Judged>& judged, const std::vector<ChosenFit>& choices) {
  std::vector<Tried> all;
  for (const Judged& each : judged) {
    all.push_back(each.tried);
    for (const ChosenFit& choice : choices) {
      const Options& own = choice.options;
      if (own.scaling == each.tried.scaling && own.C == each.tried.C &&
          own.weight_precision == each.tried.weight_precision) {
        all.back().weight = choice.weight;
      }
    }
  }
  return all;
}

}  // namespace

int most_fits(const Options& options) {
  const std::size_t all = scalings(options).size();
  const std::size_t varied = is_varied(options) ? 2 * std::min(all, most_varied) : 0;
  return static_cast<int>(std::min(all + varied, most_members));
}

Tuned tune(const Dataset& all, const Options& options, const Callbacks& callbacks) {
  const std::vector<Options> first = candidates(options);
  if (first.size() == 1 && !options.calibrate) return untuned(first);
  Dataset training = enough_of(all, options.seed);
  if (!can_be_tuned(training, options.tuning_folds)) return untuned(first);

  Tuning tuning(std::move(training), options, callbacks);
  const std::size_t varied = is_varied(options) ? std::min(first.size(), most_varied) : 0;
  std::vector<Judged> judged = tuning.judge_all(first, 2 * varied);
  Tuned tuned;
  tuned.choices = stacked(best_of_scalings(judged));
  if (varied > 0) {
    keep_heaviest_first(tuned.choices, varied);
    std::vector<Options> second;
    for (const ChosenFit& choice : tuned.choices) {
      std::ranges::copy(variants(choice.options), std::back_inserter(second));
    }
    std::ranges::move(tuning.judge_all(second, 0), std::back_inserter(judged));
    tuned.choices = stacked(judged);
  }
  keep_heaviest_first(tuned.choices, most_members);
  tuned.tried = tried(judged, tuned.choices);
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
