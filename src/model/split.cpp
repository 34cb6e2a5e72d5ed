#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/component_pairs.h"
#include "model/split_merge_odds.h"

namespace m3lak {

namespace {

/// What the points of each component and half (columns 2k and 2k + 1) add up to.
struct HalfSums {
  PointSums points;
  LogOdds log_odds;

  void operator+=(const HalfSums& other) {
    points += other.points;
    log_odds.of += other.log_odds.of;
  }
};

template <class Kind>
void transfer(Kind& archive, HalfSums& sums) {
  archive(sums.points, sums.log_odds);
}

/// The Gaussian in the middle of a posterior.
Component centre(const NormalInverseWishart& law, double count) {
  return {std::log(count + 0.5), law.mean, Matrix(law.scale / law.dof).llt().matrixL()};
}

/// Two Gaussians as wide as the component, about two points.
LensPair about(const NormalInverseWishart& law, const Vector& a, const Vector& b) {
  Component first = centre(law, 0), second = first;
  first.mean = a;
  second.mean = b;
  return {first, second};
}

class Splits {
 public:
  Splits(Workers& workers, const Iteration& iteration, const Points& points,
         const NormalInverseWishart& base, const std::vector<int>& of,
         const std::vector<PointMoments>& moments)
      : workers_(workers),
        iteration_(iteration),
        points_(points),
        base_(base),
        of_(of),
        moments_(moments),
        reduction_({PointSums(points.rows(), 2 * std::ssize(moments)),
                    {Vector::Zero(std::ssize(moments))}}) {}

  /// Enough to see what a component consists of.
  static constexpr Index points_for_em = 1 << 16;
  static constexpr int rounds = 20;
  static constexpr std::size_t tries = 64;

  /// About two points of each component, by chance; a small one may have none.
  LensPairs about_points() {
    Stream stream = iteration_.stream(Step::mixture_split, points_.cols());
    const auto N = static_cast<std::uint64_t>(points_.cols());
    std::vector<std::vector<Index>> chosen(moments_.size());
    for (std::size_t i = 0; i < tries * moments_.size(); ++i) {
      const std::uint64_t n = stream.below(N);
      std::vector<Index>& of_component = chosen[static_cast<std::size_t>(of_[n])];
      if (of_component.size() < 2) of_component.push_back(static_cast<Index>(n));
    }
    LensPairs pairs(moments_.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (chosen[k].size() < 2) continue;
      pairs[k] = about(posterior(base_, moments_[k]), points_.col(chosen[k][0]),
                       points_.col(chosen[k][1]));
    }
    return pairs;
  }

  /// EM: each point is of both halves, by its odds.
  void improve(LensPairs& pairs) {
    const Index stride = std::max<Index>(1, points_.cols() / points_for_em);
    const HalfSums& sums = sum(pairs, stride, [](Index, double odds, const auto& add) {
      const double share = 1 / (1 + std::exp(-odds));
      add(0, share, 0);
      add(1, 1 - share, 0);
    });
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (pairs[k]) pairs[k].emplace(half(sums, k, 0), half(sums, k, 1));
    }
  }

  /// Each point is of one half, which is kept.
  const HalfSums& assign(const LensPairs& pairs, std::vector<std::uint8_t>& half_of) {
    return sum(pairs, 1, [&](Index n, double odds, const auto& add) {
      const double u = iteration_.stream(Step::mixture_split, n).uniform();
      const int half = u * (1 + std::exp(-odds)) < 1 ? 0 : 1;
      half_of[static_cast<std::size_t>(n)] = static_cast<std::uint8_t>(half);
      add(half, 1, log_logistic(half == 0 ? odds : -odds));
    });
  }

  PointMoments moments(const HalfSums& sums, std::size_t k, int half) const {
    return sums.points.moments(2 * static_cast<Index>(k) + half, moments_[k].mean);
  }

 private:
  Component half(const HalfSums& sums, std::size_t k, int half) const {
    const PointMoments points = moments(sums, k, half);
    return centre(posterior(base_, points), points.count);
  }

  template <class Visit>
  const HalfSums& sum(const LensPairs& pairs, Index stride, const Visit& visit) {
    PairOdds odds(workers_, points_, of_, pairs);
    const auto map = [&](Block block, HalfSums& sums, int worker) {
      Vector y;
      odds(block, stride, worker, [&](Index n, Index k, double log_odds) {
        y = points_.col(n) - moments_[static_cast<std::size_t>(k)].mean;
        visit(n, log_odds, [&](int half, double weight, double log_q) {
          sums.points.add(2 * k + half, y, weight);
          sums.log_odds.of[k] += log_q;
        });
      });
    };
    return reduction_(workers_, blocks_of(points_), map,
                      [](HalfSums& into, const HalfSums& from) { into += from; });
  }

  Workers& workers_;
  const Iteration& iteration_;
  const Points& points_;
  const NormalInverseWishart& base_;
  const std::vector<int>& of_;
  const std::vector<PointMoments>& moments_;
  Reduction<HalfSums> reduction_;
};

}  // namespace

void split_components(Workers& workers, const Iteration& iteration, const Points& points,
                      const NormalInverseWishart& base, Mixture& mixture,
                      std::vector<PointMoments>& moments) {
  const std::vector<PointMoments> before = moments;
  Splits splits(workers, iteration, points, base, mixture.of, before);
  LensPairs pairs = splits.about_points();
  for (int round = 0; round < Splits::rounds; ++round) splits.improve(pairs);
  std::vector<std::uint8_t> half_of(mixture.of.size(), 0);
  const HalfSums& sums = splits.assign(pairs, half_of);

  std::vector<int> second(before.size());  // the number of the second half
  for (std::size_t k = 0; k < before.size(); ++k) {
    second[k] = static_cast<int>(k);
    if (!pairs[k]) continue;
    const PointMoments a = splits.moments(sums, k, 0), b = splits.moments(sums, k, 1);
    if (a.count == 0 || b.count == 0) continue;
    const double gain =
        -most_gain(base, a, b, mixture.concentration) - sums.log_odds.of[static_cast<Index>(k)];
    if (!(gain > 0)) continue;
    second[k] = static_cast<int>(moments.size());
    moments[k] = a;
    moments.push_back(b);
  }
  if (moments.size() == before.size()) return;
  for_each_block(workers, blocks_of(points), [&](Block block) {
    for (auto n = static_cast<std::size_t>(block.begin); n < static_cast<std::size_t>(block.end());
         ++n) {
      if (half_of[n] == 1) mixture.of[n] = second[static_cast<std::size_t>(mixture.of[n])];
    }
  });
}

}  // namespace m3lak
