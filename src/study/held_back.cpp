#include "study/held_back.h"

#include <algorithm>
#include <utility>

#include "predict/link.h"
#include "study/enough_of.h"
#include "study/tune.h"

namespace m3lak {

namespace {

/// Of so many labelled instances on, a tenth can be spared, and more than these are not needed.
constexpr Index large = 10'000;
constexpr Index tenth = 10;
constexpr Index most_held_back = 2000;

/// What a fit is given.
struct Verdict {
  double slope = 1, intercept = 0, weight = 1;
};

template <class Kind>
void transfer(Kind& archive, Verdict& verdict) {
  archive(verdict.slope, verdict.intercept, verdict.weight);
}

std::vector<Verdict> judge_all(const std::vector<std::shared_ptr<Model::Parts>>& fits,
                               Dataset held_back, int threads) {
  const std::vector<int> truth = std::exchange(held_back.labels, std::nullopt)->of;
  std::vector<Verdict> verdicts;
  Matrix p(std::ssize(truth), 0);
  for (const auto& parts : fits) {
    const Judgement judgement = judge(Model(parts).predict(held_back, threads).score, truth);
    verdicts.push_back({judgement.link.slope, judgement.link.intercept});
    p.conservativeResize(Eigen::NoChange, p.cols() + 1);
    p.rightCols(1) = judgement.p;
  }
  const Vector weights = weights_of_fits(p);
  for (std::size_t k = 0; k < verdicts.size(); ++k)
    verdicts[k].weight = weights[static_cast<Index>(k)];
  return verdicts;
}

}  // namespace

Index held_back_count(Index labelled, const Options& options) {
  if (!options.calibrate || labelled < large) return 0;
  return std::min(labelled / tenth, most_held_back);
}

std::optional<Dataset> hold_back(Dataset& training, const Part& part, const Options& options) {
  const Index count = held_back_count(labelled_count(training, part), options);
  if (count == 0) return std::nullopt;
  return hold_back(training, part, count, options.seed);
}

void judge_fits(const std::vector<std::shared_ptr<Model::Parts>>& fits, Dataset held_back,
                const Part& part, int threads) {
  std::vector<Verdict> verdicts;
  if (part.is_first_process()) verdicts = judge_all(fits, std::move(held_back), threads);
  if (part.cluster) share_first(*part.cluster, verdicts);
  for (std::size_t k = 0; k < fits.size(); ++k) {
    fits[k]->link = {verdicts[k].slope, verdicts[k].intercept};
    fits[k]->weight = verdicts[k].weight;
  }
}

}  // namespace m3lak
