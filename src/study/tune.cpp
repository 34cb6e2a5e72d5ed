#include "study/tune.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "data/dense_view.h"
#include "data/labelled.h"
#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "numeric/parallel.h"
#include "study/enough_of.h"

namespace m3lak {

template <class Kind>
void transfer(Kind& archive, Representation& representation) {
  archive(representation.scaling, representation.variances, representation.width,
          representation.ridge, representation.log_loss);
}

template <class Kind>
void transfer(Kind& archive, TuningProgress& progress) {
  archive(progress.representations, progress.folds);
}

namespace {

constexpr int largest_C = 10;

/// More labelled instances are not needed to choose among a few fits, and fewer are enough to find
/// out how views are to be scaled, which takes the third power of their number.
constexpr Index most_labelled = 1000;
constexpr Index most_compared = 500;

/// What was found with so few is judged anew by more, if there are clearly more.
constexpr Index most_refined = 2000;
constexpr Index most_cells = Index{1} << 26;  // 512 MiB; of wide data fewer are looked at
constexpr double clearly_more = 1.5;

/// Fits of smaller weight are left out.
constexpr double least_weight = 0.05;

/// For each fit so many held-out instances, as a share of all, speak for it beforehand: weights
/// that are fitted to a few hundred labels are better drawn towards even ones.
constexpr double evenness = 0.03;

/// Where ridge regression is best with as little as this, a harder margin is better too.
constexpr double small_ridge = 0.01;
constexpr double harder = 5;

/// With a ridge of 1 the linear part varies so much less; and from this width of the kernel on,
/// more frequencies are needed.
constexpr double least_linear = 0.2;
constexpr double curved = 1;
constexpr int more_features = 3;

/// How much of what exp(-γ ‖x - y‖²) tells of points of unit length is linear in them; γ = 0 is the
/// linear kernel.
double linear_share(double width) {
  if (width == 0) return 1;
  // e^{-2γ} (1 + 2γ x·y + …), of which the 1 tells nothing.
  return 2 * width / std::expm1(2 * width);
}

/// C, unless it is to be chosen, the size of the base and that of the linear part as the kernel of
/// the best ridge regression suggests: frequencies of the covariance 2γ I, and weights that vary
/// the less the more they were held back. Kernels that are far from linear need more frequencies.
void follow(const Representation& representation, Options& options) {
  if (representation.ridge <= small_ridge) options.C *= harder;
  if (representation.width > 0) options.base_scale = 2 * representation.width;
  options.linear_variance *= linear_share(representation.width) *
                             std::min(1.0, least_linear / std::sqrt(representation.ridge));
  if (representation.width >= curved) options.features *= more_features;
}

/// The settings of each fit that is to be tried, and the variances its views are given.
std::vector<Candidate> candidates(const Options& options,
                                  const std::vector<Representation>& representations) {
  std::vector<Candidate> all;
  for (const Representation& representation : representations) {
    for (int c = 1; c <= (options.C == 0 ? largest_C : 1); ++c) {
      Candidate& own = all.emplace_back(options, representation.variances);
      own.options.scaling = representation.scaling;
      if (options.follow_ridge && representation.variances.size() > 0) {
        follow(representation, own.options);
      }
      if (options.C == 0) own.options.C = c;
    }
  }
  return all;
}

/// Of each scaling, the candidate of the largest accuracy; of equals, the first.
std::vector<Judged> best_of_scalings(const std::vector<Judged>& judged) {
  std::vector<Judged> best;
  for (const Judged& each : judged) {
    if (best.empty() || best.back().candidate.options.scaling != each.candidate.options.scaling) {
      best.push_back(each);
    } else if (each.judgement.accuracy > best.back().judgement.accuracy) {
      best.back() = each;
    }
  }
  return best;
}

/// The average of candidates that gives held-out labels the largest probability, heaviest first.
std::vector<ChosenFit> stacked(const std::vector<Judged>& judged) {
  Matrix p(judged.front().judgement.p.size(), std::ssize(judged));
  for (std::size_t k = 0; k < judged.size(); ++k) {
    p.col(static_cast<Index>(k)) = judged[k].judgement.p;
  }
  const Vector weights = weights_of_fits(p);
  std::vector<ChosenFit> choices;
  for (std::size_t k = 0; k < judged.size(); ++k) {
    const auto& [candidate, judgement] = judged[k];
    choices.push_back({candidate, judgement.link, weights[static_cast<Index>(k)]});
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
Tuned untuned(const std::vector<Candidate>& candidates, std::size_t most) {
  Tuned tuned;
  for (const Candidate& candidate : candidates) {
    const bool is_first_of_scaling =
        tuned.choices.empty() ||
        tuned.choices.back().candidate.options.scaling != candidate.options.scaling;
    if (is_first_of_scaling) tuned.choices.push_back({candidate, {}, 1});
  }
  keep_heaviest_first(tuned.choices, most);
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

/// How views may be scaled where there is too little data to compare.
std::vector<Representation> plain_representations(const Options& options) {
  if (options.scaling != Scaling::automatic) return {{.scaling = options.scaling}};
  return {{.scaling = Scaling::center},
          {.scaling = Scaling::standardize},
          {.scaling = Scaling::unit_length}};
}

/// By few instances first, then by more of them.
std::vector<Representation> compare(const Dataset& few, const Dataset& many, const Options& options,
                                    const std::function<bool()>& stop) {
  Workers workers(options.threads);
  const auto folds = [&](const Dataset& data) {
    return stratified_folds(*data.labels, options.tuning_folds, options.seed);
  };
  std::vector<Representation> found = representations(workers, few, folds(few), stop);
  const auto count = [](const Dataset& data) { return static_cast<double>(data.instances()); };
  if (count(many) < clearly_more * count(few)) return found;
  return refined(workers, found, many, folds(many), stop);
}

/// Of a process that finds them for all; none if it was stopped.
std::vector<Representation> find_representations(const Dataset& few, const Dataset& many,
                                                 const Options& options, const Callbacks& callbacks,
                                                 Cluster* cluster) {
  std::vector<Representation> found;
  if (!cluster || cluster->is_first()) {
    try {
      found = compare(labelled(few, "m3lak"), labelled(many, "m3lak"), options, callbacks.stop);
    } catch (const Stopped&) {
      if (!cluster) throw;
    }
  }
  if (cluster) share_first(*cluster, found);
  if (found.empty()) throw Stopped("stopped while the views were being compared");
  return found;
}

/// How views may be scaled: as the settings say, or the best of the ways that are compared.
std::vector<Representation> compare_representations(const Dataset& training, const Dataset& more,
                                                    const Options& options,
                                                    const Callbacks& callbacks,
                                                    Checkpoint& checkpoint,
                                                    TuningProgress& progress, Cluster* cluster) {
  if (options.scaling != Scaling::automatic) return {{.scaling = options.scaling}};
  if (progress.representations.empty()) {
    const Dataset few = enough_of(training, whole(training), most_compared, options.seed);
    std::vector<Representation> found =
        find_representations(few, more, options, callbacks, cluster);
    {
      const auto held = checkpoint.hold();
      progress.representations = std::move(found);
    }
    checkpoint.save_if_due();
  }
  std::vector<Representation> best = progress.representations;
  if (std::ssize(best) > options.fits) best.resize(static_cast<std::size_t>(options.fits));
  return best;
}

std::vector<Tried> tried(const std::vector<Judged>& judged, Index views) {
  std::vector<Tried> all;
  for (const auto& [candidate, judgement] : judged) {
    const Options& options = candidate.options;
    all.push_back({options.scaling, options.C, judgement.accuracy, judgement.log_loss, 0,
                   candidate.variances});
    if (all.back().variances.size() == 0) all.back().variances.setZero(views);
  }
  return all;
}

}  // namespace

Vector weights_of_fits(const Matrix& p) {
  return stacking_weights(p, evenness * static_cast<double>(p.rows()));
}

Tuned tune(const Dataset& all, const Part& part, const Options& options, const Callbacks& callbacks,
           Checkpoint& checkpoint, TuningProgress& progress) {
  const Index many =
      std::clamp(most_cells / std::max<Index>(1, all.features()), most_labelled, most_refined);
  Dataset more = enough_of(all, part, many, options.seed);
  for (View& view : more.views) own_if_small(view);
  Dataset training = enough_of(more, whole(more), most_labelled, options.seed);
  const auto most = static_cast<std::size_t>(options.fits);
  if (!can_be_tuned(training, options.tuning_folds)) {
    return untuned(candidates(options, plain_representations(options)), most);
  }
  checkpoint.add("tuning", progress);
  const std::vector<Candidate> first =
      candidates(options, compare_representations(training, more, options, callbacks, checkpoint,
                                                  progress, part.cluster));
  if (first.size() == 1 && !options.calibrate) return untuned(first, most);

  InnerValidation validation(std::move(training), options, callbacks, checkpoint, progress.folds,
                             part.cluster);
  const std::vector<Judged> judged = validation.judge_all(first);
  Tuned tuned;
  tuned.choices = stacked(best_of_scalings(judged));
  keep_heaviest_first(tuned.choices, most);
  tuned.tried = tried(judged, std::ssize(all.views));
  return tuned;
}

}  // namespace m3lak
