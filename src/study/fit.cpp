#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "data/fingerprint.h"
#include "m3lak/error.h"
#include "m3lak/version.h"
#include "study/fit_one.h"
#include "study/fit_together.h"
#include "study/held_back.h"
#include "study/tune.h"

namespace m3lak {

namespace {

struct DrawBytes {
  double matrices = 0;  ///< which may be in a file
  double others = 0;
};

DrawBytes bytes_a_draw(const Dataset& training, Index instances, const Options& options) {
  const double m = latent_dimension(options, training), M = options.features;
  const auto views = static_cast<double>(training.views.size());
  const double classes = training.labels && training.labels->classes.size() > 2
                             ? static_cast<double>(training.labels->classes.size())
                             : 1;
  const auto directions = static_cast<double>(
      std::min({linear_coordinates(options, instances), instances, training.features()}));
  // Components come and go; a handful is usual.
  constexpr double components = 5;
  return {8 * (static_cast<double>(training.features()) * (m + options.private_latent) + m * M +
               (2 * M + 1 + directions) * classes),
          8 * (views * (m + 1) + components * (m * m + m + 1))};
}

/// Of how many fits the model may be the average.
int most_fits(const Options& options) {
  return options.scaling == Scaling::automatic ? options.fits : 1;
}

/// The sums over all processes.
std::vector<Index> of_all(Cluster* cluster, std::vector<Index> counts) {
  if (cluster) {
    sum_over(*cluster, counts, [](std::vector<Index>& into, const std::vector<Index>& from) {
      for (std::size_t i = 0; i < into.size(); ++i) into[i] += from[i];
    });
  }
  return counts;
}

void check_data(const Dataset& training, const Part& part) {
  std::vector<Index> absent;
  for (const View& view : training.views) absent.push_back(view.absent_count());
  absent = of_all(part.cluster, absent);
  for (std::size_t i = 0; i < absent.size(); ++i) {
    if (absent[i] < part.total) continue;
    throw BadData(
        fmt::format("view '{}' is missing for all instances of the training data: leave it out",
                    training.views[i].name));
  }
  if (!training.labels) {
    throw BadData("the data has no labels: there is nothing to learn from");
  }
  training.labels->require_two_classes();
  const std::vector<Index> counts = of_all(part.cluster, training.labels->counts());
  if (std::ranges::count_if(counts, [](Index count) { return count > 0; }) < 2) {
    throw BadData("all instances of the training data that have a label are of one class");
  }
}

/// All that results depend on.
Identity identity(const Dataset& training, const Part& part, const Options& options,
                  const Callbacks& callbacks) {
  Identity all = {{"m3lak", version()}};
  for (const Parameter& parameter : parameters()) {
    if (parameter.name != "threads") all.emplace_back(parameter.name, get(options, parameter.name));
  }
  all.emplace_back("trace", callbacks.accuracy_in_trace ? "with all accuracies" : "usual");
  for (const View& view : training.views) {
    all.emplace_back(fmt::format("view '{}'", view.name),
                     fmt::format("{} x {} with fingerprint {}", part.total, view.features(),
                                 fingerprint(view, part)));
  }
  all.emplace_back("labels", "those with fingerprint " + fingerprint(*training.labels, part));
  return all;
}

/// What was tried, and what of it is part of the model.
std::vector<Tried> with_weights(std::vector<Tried> tried,
                                const std::vector<std::shared_ptr<Model::Parts>>& fits) {
  for (Tried& each : tried) {
    for (const auto& parts : fits) {
      const Options& options = parts->options;
      if (options.scaling == each.scaling && options.C == each.C) each.weight = parts->weight;
    }
  }
  return tried;
}

/// Tells the caller of one fit after the other as if they were one.
class Turns {
 public:
  Turns(const Callbacks& callbacks, int count) : callbacks_(callbacks), count_(count) {}

  Callbacks next() {
    Callbacks own = callbacks_;
    if (callbacks_.progress) {
      own.progress = [this, turn = turn_](Progress progress) {
        progress.done += turn * progress.total;
        progress.total *= count_;
        callbacks_.progress(progress);
      };
    }
    ++turn_;
    return own;
  }

 private:
  const Callbacks& callbacks_;
  int count_;
  int turn_ = 0;
};

}  // namespace

DrawsPlan plan_draws(const Dataset& training, Index instances, const Options& options) {
  options.check();
  const DrawBytes one = bytes_a_draw(training, instances, options);
  const double limit = bytes_of_draws(options), fits = most_fits(options);
  DrawsPlan plan;
  constexpr int usual_draws = 50;
  const int after = options.iterations - options.burn_in;
  for (plan.thin = options.thin > 0 ? options.thin : std::max(1, after / usual_draws);;
       ++plan.thin) {
    plan.draws = options.chains * (after / plan.thin);
    if (fits * plan.draws * one.others <= limit || plan.draws <= options.chains) break;
  }
  plan.bytes = fits * plan.draws * (one.matrices + one.others);
  plan.in_file = std::max(0.0, fits * plan.draws * one.matrices - limit);
  return plan;
}

DrawsPlan plan_draws(const Dataset& training, const Options& options) {
  return plan_draws(training, training.instances(), options);
}

Model fit(Dataset training, const Options& options, const Callbacks& callbacks,
          const std::optional<CheckpointPlan>& plan) {
  const Part all = whole(training);
  return fit_together(std::move(training), all, options, callbacks, plan);
}

Model fit_together(Dataset training, const Part& part, const Options& options,
                   const Callbacks& callbacks, const std::optional<CheckpointPlan>& plan) {
  options.check();
  check_data(training, part);
  Options settled = options;
  settled.latent = latent_dimension(options, training);
  settled.thin = plan_draws(training, part.total, options).thin;
  DrawStore store(bytes_of_draws(options), callbacks.warning);
  std::optional<Checkpoint> kept;
  if (plan) {
    kept.emplace(*plan, identity(training, part, settled, callbacks), callbacks.warning,
                 part.cluster, &store);
  }
  Checkpoint none;
  Checkpoint& checkpoint = kept ? *kept : none;
  TuningProgress progress;
  const Tuned tuned = tune(training, part, settled, callbacks, checkpoint, progress);

  std::optional<Dataset> held_back = hold_back(training, part, settled);
  Turns turns(callbacks, static_cast<int>(tuned.choices.size()));
  std::vector<std::shared_ptr<Model::Parts>> fits;
  for (const ChosenFit& choice : tuned.choices) {
    if (!fits.empty() && fits.back()->stopped_early) break;
    const bool last = fits.size() + 1 == tuned.choices.size();
    fits.push_back(fit_one(last ? std::move(training) : training, part, choice.candidate,
                           turns.next(), Trace::whole, store, checkpoint,
                           fmt::format("fit {}", fits.size())));
    fits.back()->link = choice.link;
    fits.back()->weight = choice.weight;
  }
  const bool is_stopped = fits.back()->stopped_early;
  if (!is_stopped) checkpoint.save();
  if (held_back) {
    judge_fits(fits, std::move(*held_back), part, settled.threads);
    std::ranges::stable_sort(fits, std::greater<>(),
                             [](const auto& parts) { return parts->weight; });
  }
  // Fits that were not made, as it was stopped, leave their weight to the others.
  double sum = 0;
  for (const auto& parts : fits) sum += parts->weight;
  for (const auto& parts : fits) parts->weight /= sum;
  fits.front()->tried = with_weights(tuned.tried, fits);
  fits.front()->stopped_early |= is_stopped;
  fits.front()->others.assign(fits.begin() + 1, fits.end());
  return Model(fits.front());
}

}  // namespace m3lak
