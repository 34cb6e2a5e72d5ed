#include <numeric>
#include <utility>

#include "model/component_pairs.h"
#include "model/split_merge_odds.h"

namespace m3lak {

namespace {

struct Merge {
  std::size_t into, from;
  double gain;
};

/// Of all pairs with a gain, in random order, those whose components are not in an earlier one.
std::vector<Merge> candidates(Stream& stream, const NormalInverseWishart& base,
                              const std::vector<PointMoments>& moments, double concentration) {
  std::vector<Merge> all;
  for (std::size_t b = 1; b < moments.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const double gain = most_gain(base, moments[a], moments[b], concentration);
      if (gain > 0) all.push_back({a, b, gain});  // else there is no need to find q
    }
  }
  std::vector<Merge> chosen;
  std::vector<bool> taken(moments.size(), false);
  for (std::size_t left = all.size(); left > 0; --left) {
    std::swap(all[left - 1], all[stream.below(left)]);
    const Merge& merge = all[left - 1];
    if (taken[merge.into] || taken[merge.from]) continue;
    taken[merge.into] = taken[merge.from] = true;
    chosen.push_back(merge);
  }
  return chosen;
}

}  // namespace

void merge_components(Workers& workers, const Iteration& iteration, const Points& points,
                      const NormalInverseWishart& base, Mixture& mixture,
                      std::vector<PointMoments>& moments) {
  Stream stream = iteration.stream(Step::mixture_split, points.cols());
  const std::vector<Merge> merges = candidates(stream, base, moments, mixture.concentration);
  if (merges.empty()) return;
  LensPairs pairs(moments.size());
  for (const Merge& merge : merges) {
    const Component &a = mixture.components[merge.into], &b = mixture.components[merge.from];
    pairs[merge.into].emplace(a, b);
    pairs[merge.from].emplace(b, a);
  }
  PairOdds odds(workers, points, mixture.of, pairs);
  const LogOdds log_odds = reduce_blocks(
      workers, blocks_of(points), LogOdds{Vector::Zero(std::ssize(moments))},
      [&](Block block, LogOdds& sum, int worker) {
        odds(block, 1, worker,
             [&](Index, Index k, double log_odds) { sum.of[k] += log_logistic(log_odds); });
      },
      [](LogOdds& into, const LogOdds& from) { into.of += from.of; });

  std::vector<std::size_t> into(moments.size());
  std::iota(into.begin(), into.end(), 0);
  for (const Merge& merge : merges) {
    const double log_q =
        log_odds.of[static_cast<Index>(merge.into)] + log_odds.of[static_cast<Index>(merge.from)];
    if (!(merge.gain + log_q > 0)) continue;
    moments[merge.into] = together(moments[merge.into], moments[merge.from]);
    into[merge.from] = merge.into;
  }
  std::vector<int> number(moments.size());
  std::vector<PointMoments> left;
  for (std::size_t k = 0; k < moments.size(); ++k) {
    if (into[k] == k) {
      number[k] = static_cast<int>(left.size());
      left.push_back(std::move(moments[k]));
    } else {
      number[k] = number[into[k]];  // into[k] < k
    }
  }
  moments = std::move(left);
  if (moments.size() < number.size()) renumber(workers, number, mixture);
}

void renumber(Workers& workers, const std::vector<int>& number, Mixture& mixture) {
  const Blocks blocks{std::ssize(mixture.of), points_a_block};
  for_each_block(workers, blocks, [&](Block block) {
    for (auto n = static_cast<std::size_t>(block.begin); n < static_cast<std::size_t>(block.end());
         ++n) {
      mixture.of[n] = number[static_cast<std::size_t>(mixture.of[n])];
    }
  });
}

}  // namespace m3lak
