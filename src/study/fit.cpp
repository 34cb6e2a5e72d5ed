#include <fmt/format.h>

#include <algorithm>

#include "inference/sample.h"
#include "m3lak/error.h"
#include "m3lak/model.h"
#include "model/principal.h"
#include "numeric/steps.h"
#include "predict/model_parts.h"
#include "study/tune.h"

namespace m3lak {

namespace {

/// How many principal coordinates the classifier sees of so many instances.
Index coordinates(const Options& options, Index instances) {
  constexpr Index most_numbers = Index{1} << 25;  // 256 MiB
  return std::min<Index>(options.linear, most_numbers / std::max(instances, Index{1}));
}

double bytes_a_draw(const Dataset& training, const Options& options) {
  const double m = options.latent, M = options.features;
  const auto views = static_cast<double>(training.views.size());
  const double classes = training.labels && training.labels->classes.size() > 2
                             ? static_cast<double>(training.labels->classes.size())
                             : 1;
  const auto directions = static_cast<double>(std::min(
      {coordinates(options, training.instances()), training.instances(), training.features()}));
  // Components come and go; a handful is usual.
  constexpr double components = 5;
  return 8 * (static_cast<double>(training.features()) * (m + options.private_latent) +
              views * (m + 1) + m * M + (2 * M + 1 + directions) * classes +
              components * (m * m + m + 1));
}

void check_data(const Dataset& training) {
  for (const View& view : training.views) {
    if (view.absent_count() == training.instances()) {
      throw BadData(fmt::format(
          "view '{}' is missing for all instances of the training data: leave it out", view.name));
    }
  }
  if (!training.labels) {
    throw BadData("the data has no labels: there is nothing to learn from");
  }
  training.labels->require_two_classes();
  const std::vector<Index> counts = training.labels->counts();
  if (std::ranges::count_if(counts, [](Index count) { return count > 0; }) < 2) {
    throw BadData("all instances of the training data that have a label are of one class");
  }
}

/// The principal coordinates for the classifier, and their directions in terms of the features.
void see_views(const Options& options, Problem& problem, Model::Parts& parts) {
  const Stream stream({.seed = options.seed, .step = number(Step::principal_directions)});
  parts.directions =
      principal_directions(problem, coordinates(options, problem.instances()), stream);
  problem.coordinates = principal_coordinates(problem, parts.directions);
  for (std::size_t i = 0; i < problem.views.size(); ++i) {
    if (problem.turns[i].size() > 0) parts.directions[i] = problem.turns[i] * parts.directions[i];
  }
}

}  // namespace

DrawsPlan plan_draws(const Dataset& training, const Options& options) {
  options.check();
  const double one = bytes_a_draw(training, options);
  const double limit = options.draws_memory * 1024.0 * 1024.0;
  DrawsPlan plan;
  for (plan.thin = options.thin;; ++plan.thin) {
    plan.draws = options.chains * ((options.iterations - options.burn_in) / plan.thin);
    plan.bytes = one * plan.draws;
    if (plan.bytes <= limit || plan.draws <= options.chains) return plan;
  }
}

Model fit(Dataset training, const Options& options, const Callbacks& callbacks) {
  options.check();
  check_data(training);
  auto parts = std::make_shared<Model::Parts>();
  parts->options = options;
  parts->options.thin = plan_draws(training, options).thin;
  if (options.C == 0) {
    const Tuned tuned = tune(training, parts->options, callbacks);
    parts->options.C = tuned.C;
    parts->tried_C = tuned.tried;
    parts->link = tuned.link;
  }
  parts->classes = training.labels->classes;
  for (const View& view : training.views) parts->feature_names.push_back(view.feature_names);
  parts->scaler = Scaler::fit(training, options.scaling);
  scale(parts->scaler, options.precision, training);

  Problem problem = prepare_training(std::move(training), options.latent + options.private_latent,
                                     options.precision);
  see_views(options, problem, *parts);
  Sampled sampled = sample(problem, parts->options, callbacks);
  parts->draws = std::move(sampled.draws);
  parts->chain_of = std::move(sampled.chain_of);
  parts->trace = std::move(sampled.trace);
  parts->stopped_early = sampled.stopped;
  return Model(std::move(parts));
}

}  // namespace m3lak
