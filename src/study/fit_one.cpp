#include "study/fit_one.h"

#include <algorithm>

#include "inference/layout.h"
#include "model/principal.h"
#include "numeric/steps.h"

namespace m3lak {

namespace {

/// The principal coordinates for the classifier, and their directions in terms of the features.
void see_views(const Options& options, Problem& problem, Model::Parts& parts) {
  const Stream stream({.seed = options.seed, .step = number(Step::principal_directions)});
  see_principal_coordinates(
      principal_directions(problem, linear_coordinates(options, problem.instances()), stream),
      problem);
  parts.directions = problem.directions;
  for (std::size_t i = 0; i < problem.views.size(); ++i) {
    if (problem.turns[i].size() > 0) parts.directions[i] = problem.turns[i] * parts.directions[i];
  }
}

}  // namespace

/// What sampling adds to the parts; all else is found again quickly.
template <class Kind>
void transfer(Kind& archive, Model::Parts& parts) {
  archive(parts.draws, parts.chain_of, parts.trace);
}

int latent_dimension(const Options& options, const Dataset& training) {
  if (options.latent > 0) return options.latent;
  return static_cast<int>(std::clamp<Index>(training.features(), 1, usual_latent));
}

Index linear_coordinates(const Options& options, Index instances) {
  constexpr Index most_numbers = Index{1} << 25;  // 256 MiB
  return std::min<Index>(options.linear, most_numbers / std::max(instances, Index{1}));
}

std::shared_ptr<Model::Parts> fit_one(Dataset training, const Candidate& candidate,
                                      const Callbacks& callbacks, Trace trace,
                                      Checkpoint& checkpoint, const std::string& name) {
  const Options& options = candidate.options;
  auto parts = std::make_shared<Model::Parts>();
  parts->options = options;
  parts->classes = training.labels->classes;
  for (const View& view : training.views) parts->feature_names.push_back(view.feature_names);
  parts->scaler = Scaler::fit(training, options.scaling, candidate.variances);
  scale(parts->scaler, options.precision, training);

  Problem problem = prepare_training(std::move(training), options.latent + options.private_latent,
                                     options.precision);
  see_views(options, problem, *parts);
  if (!checkpoint.has(name)) {
    Sampled sampled = sample(problem, parts->options, callbacks, trace, checkpoint, name);
    parts->draws = std::move(sampled.draws);
    parts->chain_of = std::move(sampled.chain_of);
    parts->trace = std::move(sampled.trace);
    parts->stopped_early = sampled.stopped;
  }
  if (!parts->stopped_early) checkpoint.add(name, *parts);
  return parts;
}

}  // namespace m3lak
