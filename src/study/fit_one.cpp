#include "study/fit_one.h"

#include <algorithm>

#include "inference/layout.h"
#include "model/principal.h"
#include "numeric/steps.h"

namespace m3lak {

namespace {

/// The principal coordinates for the classifier.
void see_views(Workers& workers, const Options& options, Problem& problem) {
  const Stream stream({.seed = options.seed, .step = number(Step::principal_directions)});
  see_principal_coordinates(
      workers,
      principal_directions(workers, problem, linear_coordinates(options, problem.total), stream),
      problem);
}

/// Scaled data as the chains want it. What is done with more features than instances needs all of
/// these at once: there are few of them, so each process gets them and keeps its part.
Problem problem_of(Dataset scaled, const Part& part, const Options& options) {
  const Index k = options.latent + options.private_latent;
  if (part.cluster && scaled.features() > part.total) {
    Workers workers(options.threads);
    Problem all =
        prepare_training(gathered(*part.cluster, std::move(scaled)), k, options.precision);
    see_views(workers, options, all);
    return own_part(all, part.cluster->share());
  }
  Workers workers(options.threads, part.cluster);
  Problem problem = prepare_training(workers, std::move(scaled), part, k, options.precision);
  see_views(workers, options, problem);
  return problem;
}

/// Directions in terms of the features.
std::vector<DenseMatrix> directions_of(const Problem& problem) {
  std::vector<DenseMatrix> directions = problem.directions;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    if (problem.turns[i].size() > 0) directions[i] = problem.turns[i] * directions[i];
  }
  return directions;
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

double bytes_of_draws(const Options& options) { return options.draws_memory * 1024.0 * 1024.0; }

std::shared_ptr<Model::Parts> fit_one(Dataset training, const Part& part,
                                      const Candidate& candidate, const Callbacks& callbacks,
                                      Trace trace, DrawStore& store, Checkpoint& checkpoint,
                                      const std::string& name) {
  const Options& options = candidate.options;
  auto parts = std::make_shared<Model::Parts>();
  parts->options = options;
  parts->classes = training.labels->classes;
  for (const View& view : training.views) parts->feature_names.push_back(view.feature_names);
  {
    Workers workers(options.threads, part.cluster);
    parts->scaler = Scaler::fit(workers, training, options.scaling, candidate.variances);
  }
  scale(parts->scaler, options.precision, training);
  const Problem problem = problem_of(std::move(training), part, options);
  parts->directions = directions_of(problem);
  if (!checkpoint.has(name)) {
    Sampled sampled =
        sample(problem, parts->options, callbacks, trace, store, checkpoint, name, part.cluster);
    parts->draws = std::move(sampled.draws);
    parts->chain_of = std::move(sampled.chain_of);
    parts->trace = std::move(sampled.trace);
    parts->stopped_early = sampled.stopped;
  }
  if (!parts->stopped_early) checkpoint.add(name, *parts);
  return parts;
}

}  // namespace m3lak
