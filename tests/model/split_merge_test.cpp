#include "model/split_merge.h"

#include <gtest/gtest.h>

#include <numbers>

#include "numeric/distributions.h"

namespace m3lak {
namespace {

const NormalInverseWishart base{Vector::Zero(2), 0.05, Matrix::Identity(2, 2), 4};

TEST(Evidence, OfOnePointIsTheIntegralOverMeanAndVariance) {
  const NormalInverseWishart line{Vector::Constant(1, 0.3), 0.8, Matrix::Constant(1, 1, 4), 6};
  const double x = 1.7;
  double sum = 0;
  constexpr double step = 0.02;
  for (double s = step / 2; s < 40; s += step) {
    // Σ ~ InverseWishart(6, 4) in one dimension is InverseGamma(3, 2).
    const double density = 4 * std::exp(-2 / s) / std::pow(s, 4);
    // x ~ N(0.3, s + s / 0.8), μ integrated out.
    const double variance = s * (1 + 1 / 0.8);
    sum += step * density * std::exp(-0.5 * (x - 0.3) * (x - 0.3) / variance) /
           std::sqrt(2 * std::numbers::pi * variance);
  }
  const PointMoments one{1, Vector::Constant(1, x), Matrix::Zero(1, 1)};
  EXPECT_NEAR(log_evidence(line, one), std::log(sum), 1e-4);
}

TEST(Evidence, IsThatOfSomePointsAndThenOfTheOthers) {
  Workers workers(1);
  const Matrix points = Matrix::Random(2, 30);
  const PointMoments a = moments_of(workers, points.leftCols(11));
  const PointMoments b = moments_of(workers, points.rightCols(19));
  EXPECT_NEAR(log_evidence(base, together(a, b)),
              log_evidence(base, a) + log_evidence(posterior(base, a), b), 1e-9);
}

/// Points of two Gaussians in turns, `apart` from each other.
Matrix two_groups(double apart, Index count) {
  Stream stream({.seed = 5});
  Matrix points(2, count);
  fill_normal(stream, {points.data(), static_cast<std::size_t>(points.size())});
  for (Index n = 1; n < count; n += 2) points(0, n) += apart;
  return points;
}

struct World {
  Matrix points;
  Mixture mixture;
  std::vector<PointMoments> moments;

  void find_moments() {
    Workers workers(1);
    moments.clear();
    for (int k = 0; k <= *std::ranges::max_element(mixture.of); ++k) {
      std::vector<Index> members;
      for (Index n = 0; n < points.cols(); ++n) {
        if (mixture.of[static_cast<std::size_t>(n)] == k) members.push_back(n);
      }
      moments.push_back(moments_of(workers, Matrix(points(Eigen::all, members))));
    }
  }

  /// All that both moves promise: moments are those of the components' points.
  void expect_consistent() {
    const std::vector<PointMoments> kept = moments;
    find_moments();
    ASSERT_EQ(kept.size(), moments.size());
    for (std::size_t k = 0; k < kept.size(); ++k) {
      EXPECT_EQ(kept[k].count, moments[k].count);
      EXPECT_TRUE(kept[k].mean.isApprox(moments[k].mean, 1e-9));
      EXPECT_TRUE(kept[k].scatter.isApprox(moments[k].scatter, 1e-9));
    }
  }
};

World all_in_one(double apart) {
  World world{two_groups(apart, 5000), {}, {}};
  world.mixture.of.assign(5000, 0);
  world.mixture.components = {{0, Vector::Zero(2), Matrix::Identity(2, 2)}};
  world.find_moments();
  return world;
}

// Half of all pairs of points are of two groups, and then the split is found: of 40, fewer than 6
// such pairs have a probability below `error_rate`.
TEST(Split, HalvesWhatConsistsOfTwo) {
  Workers workers(2);
  int splits = 0;
  for (std::uint64_t number = 1; number <= 40; ++number) {
    World world = all_in_one(7);
    split_components(workers, {1, 0, number}, world.points, base, world.mixture, world.moments);
    world.expect_consistent();
    if (world.moments.size() == 1) continue;
    ++splits;
    double right = 0;
    for (std::size_t n = 0; n < 5000; ++n) right += world.mixture.of[n] == static_cast<int>(n % 2);
    EXPECT_GT(std::abs(right / 5000 - 0.5), 0.49);
  }
  EXPECT_GE(splits, 6);
}

TEST(Split, LeavesOneGaussianAsItIs) {
  Workers workers(2);
  for (std::uint64_t number = 1; number <= 20; ++number) {
    World world = all_in_one(0);
    split_components(workers, {1, 0, number}, world.points, base, world.mixture, world.moments);
    EXPECT_EQ(world.moments.size(), 1U);
  }
}

/// Two components with the parameters of the groups; points assigned by their odds.
World in_two(double apart) {
  World world{two_groups(apart, 5000), {}, {}};
  Component left{std::log(0.5), Vector::Zero(2), Matrix::Identity(2, 2)}, right = left;
  right.mean[0] = apart;
  world.mixture.components = {left, right};
  Stream stream({.seed = 6});
  for (Index n = 0; n < 5000; ++n) {
    const std::vector<double> logs = {left.log_density(world.points.col(n)),
                                      right.log_density(world.points.col(n))};
    world.mixture.of.push_back(static_cast<int>(categorical(stream, logs)));
  }
  world.find_moments();
  return world;
}

// Two groups three standard deviations apart overlap, and all of their points in one component are
// more probable than any one assignment to two; but there are so many assignments.
TEST(Merge, MakesOneOfTwoThatAreTheSameOnly) {
  Workers workers(2);
  for (const auto& [apart, left] : {std::pair{0.0, 1U}, {0.05, 1U}, {3.0, 2U}, {7.0, 2U}}) {
    World world = in_two(apart);
    merge_components(workers, {1, 0, 1}, world.points, base, world.mixture, world.moments);
    EXPECT_EQ(world.moments.size(), left) << apart;
    world.expect_consistent();
  }
}

TEST(Merge, NumbersTheOthersAnew) {
  Workers workers(1);
  World world = in_two(0);
  // A third group, far away, between the two.
  for (int& z : world.mixture.of) z *= 2;
  for (std::size_t n = 0; n < 1000; ++n) {
    world.mixture.of[n] = 1;
    world.points.col(static_cast<Index>(n)).array() += 50;
  }
  auto& components = world.mixture.components;
  components = {
      components[0], {std::log(0.2), Vector::Constant(2, 50), components[0].factor}, components[1]};
  world.find_moments();
  merge_components(workers, {1, 0, 1}, world.points, base, world.mixture, world.moments);
  ASSERT_EQ(world.moments.size(), 2U);
  world.expect_consistent();
  EXPECT_EQ(world.mixture.of[0], 1);
  EXPECT_EQ(world.mixture.of[4000], 0);
}

}  // namespace
}  // namespace m3lak
