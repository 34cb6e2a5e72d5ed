#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/mixture.h"
#include "model/component.h"
#include "numeric/distributions.h"

namespace m3lak {
namespace {

/// Five groups, their shares 1 : 2 : 3 : 4 : 5, and of which each point is.
struct Groups {
  DenseMatrix points;
  std::vector<int> of;
};

Groups five_groups(Index count, Index d, double offset = 0) {
  Stream stream({.seed = 4});
  Groups groups{DenseMatrix(count, d), {}};
  for (Index n = 0; n < count; ++n) {
    int group = 0;
    for (auto left = static_cast<int>(n % 15); left > group; ++group) left -= group + 1;
    groups.of.push_back(group);
    for (Index j = 0; j < d; ++j) {
      const double centre = j % 2 == 0 ? 12 * group : 9 * (group % 2);
      groups.points(n, j) = offset + centre + (0.5 + 0.2 * group) * normal(stream);
    }
  }
  return groups;
}

MixtureOptions brief(int iterations = 40, int threads = 2) {
  MixtureOptions options;
  options.iterations = iterations;
  options.burn_in = iterations / 2;
  options.threads = threads;
  return options;
}

TEST(DirichletProcessMixture, FindsGroupsWithinFewIterations) {
  for (const auto& [count, d, offset] :
       {std::tuple{300, 2, 0.0}, {30000, 3, 0.0}, {9000, 2, 1e7}}) {
    const Groups groups = five_groups(count, d, offset);
    DirichletProcessMixture mixture(brief());
    mixture.fit(groups.points);
    const std::vector<int> found = mixture.assign(groups.points);
    std::vector<int> group_of(mixture.last().components.size(), -1);
    int wrong = 0;
    for (std::size_t n = 0; n < found.size(); ++n) {
      int& group = group_of[static_cast<std::size_t>(found[n])];
      if (group < 0) group = groups.of[n];
      wrong += group != groups.of[n];
    }
    EXPECT_LE(wrong, count / 100);
    std::vector<double> shares(5, 0.0);
    for (std::size_t k = 0; k < group_of.size(); ++k) {
      const MixtureComponent& component = mixture.last().components[k];
      if (group_of[k] < 0) continue;
      shares[static_cast<std::size_t>(group_of[k])] += component.weight;
      if (component.weight < 0.02) continue;
      EXPECT_NEAR(component.mean[0], offset + 12 * group_of[k], 0.8);
    }
    // Five standard deviations of a share of so many points.
    for (int g = 0; g < 5; ++g) {
      EXPECT_NEAR(shares[static_cast<std::size_t>(g)], (g + 1) / 15.0, 2.5 / std::sqrt(count));
    }
    EXPECT_EQ(mixture.component_counts().size(), 40U);
    EXPECT_EQ(mixture.draws().size(), 20U);
  }
}

TEST(DirichletProcessMixture, IsTheSameForAnyNumberOfThreads) {
  const Groups groups = five_groups(20001, 3);
  DirichletProcessMixture one(brief(12, 1));
  one.fit(groups.points);
  for (const int threads : {2, 3}) {
    DirichletProcessMixture many(brief(12, threads));
    many.fit(groups.points);
    ASSERT_EQ(many.component_counts(), one.component_counts());
    for (std::size_t t = 0; t < one.draws().size(); ++t) {
      const MixtureDraw &a = one.draws()[t], &b = many.draws()[t];
      EXPECT_EQ(a.rest, b.rest);
      EXPECT_EQ(a.concentration, b.concentration);
      for (std::size_t k = 0; k < a.components.size(); ++k) {
        EXPECT_EQ(a.components[k].weight, b.components[k].weight);
        EXPECT_EQ(a.components[k].mean, b.components[k].mean);
        EXPECT_EQ(a.components[k].factor, b.components[k].factor);
      }
    }
    EXPECT_EQ(one.log_density(groups.points), many.log_density(groups.points));
  }
  MixtureOptions other = brief(12);
  other.seed = 2;
  DirichletProcessMixture another(other);
  another.fit(groups.points);
  EXPECT_NE(another.last().rest, one.last().rest);
}

/// A few points, so that the rest has a weight that is seen.
DirichletProcessMixture fitted_to_few(Index d) {
  Stream stream({.seed = 9});
  DenseMatrix points(7, d);
  for (double& x : points.reshaped()) x = normal(stream);
  MixtureOptions options = brief();
  options.dof = static_cast<double>(d) + 8;  // light tails, so that a grid has nearly all
  options.strength = 0.5;
  DirichletProcessMixture mixture(options);
  mixture.fit(points);
  return mixture;
}

TEST(DirichletProcessMixture, DensityIntegratesToOne) {
  // t with 9 degrees of freedom has less than 1e-9 beyond ±60 of its scale, in each direction.
  const DirichletProcessMixture line = fitted_to_few(1);
  const Vector x = Vector::LinSpaced(24001, -60, 60);
  EXPECT_NEAR(line.log_density(x).array().exp().sum() * (x[1] - x[0]), 1, 1e-6);

  const DirichletProcessMixture plane = fitted_to_few(2);
  constexpr Index side = 1201;
  const Vector axis = Vector::LinSpaced(side, -60, 60);
  DenseMatrix grid(side * side, 2);
  for (Index i = 0; i < grid.rows(); ++i) grid.row(i) << axis[i / side], axis[i % side];
  const double cell = axis[1] - axis[0];
  EXPECT_NEAR(plane.log_density(grid).array().exp().sum() * cell * cell, 1, 1e-3);
  // The rest is a part of it that would be missed.
  double rest = 0;
  for (const MixtureDraw& draw : plane.draws()) rest += draw.rest;
  EXPECT_GT(rest / static_cast<double>(plane.draws().size()), 0.01);
}

TEST(DirichletProcessMixture, DensityAndProbabilitiesAreThoseOfBruteForce) {
  const DirichletProcessMixture mixture = fitted_to_few(1);
  const DenseMatrix points = (DenseMatrix(4, 1) << -3, 0.1, 0.7, 5).finished();
  const Vector found = mixture.log_density(points);
  const DenseMatrix probability = mixture.probability(points);
  const std::vector<int> assigned = mixture.assign(points);
  const MixtureOptions& base = mixture.options();
  for (Index n = 0; n < points.rows(); ++n) {
    const double x = points(n, 0);
    // Student's t in one dimension, its scale² = Ψ(κ + 1)/(κν).
    const double nu = base.dof;
    const double scale = std::sqrt(base.scale(0, 0) * (base.strength + 1) / (base.strength * nu));
    const double t = (x - base.mean[0]) / scale;
    const double predictive = std::exp(std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2)) /
                              (std::sqrt(nu * std::numbers::pi) * scale) *
                              std::pow(1 + t * t / nu, -(nu + 1) / 2);
    double sum = 0;
    std::vector<double> last;
    for (const MixtureDraw& draw : mixture.draws()) {
      sum += draw.rest * predictive;
      last.clear();
      for (const MixtureComponent& k : draw.components) {
        const Component component{0, k.mean, k.factor};
        last.push_back(k.weight * std::exp(component.log_density(points.row(n).transpose())));
        sum += last.back();
      }
    }
    EXPECT_NEAR(found[n], std::log(sum / static_cast<double>(mixture.draws().size())), 1e-10);
    double total = 0;
    for (const double weight : last) total += weight;
    const auto best = std::ranges::max_element(last) - last.begin();
    EXPECT_EQ(assigned[static_cast<std::size_t>(n)], best);
    for (std::size_t k = 0; k < last.size(); ++k) {
      EXPECT_NEAR(probability(n, static_cast<Index>(k)), last[k] / total, 1e-10);
    }
  }
}

TEST(DirichletProcessMixture, GoesOnFromItsDraws) {
  const DirichletProcessMixture mixture = fitted_to_few(2);
  const DirichletProcessMixture again(mixture.options(), mixture.draws());
  const DenseMatrix points = DenseMatrix::Random(50, 2);
  EXPECT_EQ(again.log_density(points), mixture.log_density(points));
  std::vector<MixtureDraw> broken = mixture.draws();
  broken[3].components[0].mean.resize(3);
  expect_error<BadData>([&] { DirichletProcessMixture(mixture.options(), broken); }, {"draws"});
}

TEST(DirichletProcessMixture, SurvivesPoorPoints) {
  const DenseMatrix one = DenseMatrix::Constant(1, 3, 7);
  const DenseMatrix same = DenseMatrix::Constant(50, 2, -1e6);
  DenseMatrix constant = DenseMatrix::Random(100, 3);
  constant.col(1).setConstant(4);
  DenseMatrix collinear = DenseMatrix::Random(100, 2);
  collinear.col(1) = 3 * collinear.col(0);
  DenseMatrix scales = DenseMatrix::Random(100, 2);
  scales.col(0) *= 1e90;
  scales.col(1) *= 1e-90;
  DenseMatrix outlier = DenseMatrix::Random(3000, 2);
  outlier(1234, 0) = 1e30;
  for (const DenseMatrix& points : {one, same, constant, collinear, scales, outlier}) {
    DirichletProcessMixture mixture(brief());
    mixture.fit(points);
    EXPECT_TRUE(mixture.log_density(points).allFinite());
    EXPECT_NEAR(mixture.probability(points).rowwise().sum().minCoeff(), 1, 1e-9);
    for (const int k : mixture.assign(points)) EXPECT_GE(k, 0);
  }
}

TEST(DirichletProcessMixture, RefusesBadPoints) {
  DirichletProcessMixture mixture(brief());
  DenseMatrix points = DenseMatrix::Random(30, 2);
  expect_error<BadUsage>([&] { mixture.log_density(points); }, {"fit"});
  expect_error<BadData>([&] { mixture.fit(DenseMatrix(0, 2)); }, {"0 rows"});
  expect_error<BadData>([&] { mixture.fit(DenseMatrix(3, 0)); }, {"0 columns"});
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1e101}) {
    points(4, 1) = bad;
    expect_error<BadData>([&] { mixture.fit(points); }, {"row 5", "column 2"});
  }
  points(4, 1) = 0;
  mixture.fit(points);
  for (const auto& use : {0, 1, 2}) {
    expect_error<BadData>(
        [&] {
          const DenseMatrix wide = DenseMatrix::Zero(2, 3);
          if (use == 0) mixture.assign(wide);
          if (use == 1) mixture.probability(wide);
          if (use == 2) mixture.log_density(wide);
        },
        {"3 columns", "fitted to 2"});
  }
  EXPECT_EQ(mixture.assign(DenseMatrix(0, 2)).size(), 0U);
}

TEST(DirichletProcessMixture, RefusesBadOptions) {
  const auto refused = [](auto change, std::initializer_list<const char*> words) {
    MixtureOptions options;
    change(options);
    expect_error<BadUsage>(
        [&] {
          DirichletProcessMixture mixture(options);
          mixture.fit(DenseMatrix::Random(20, 3));
        },
        words);
  };
  refused([](auto& o) { o.concentration = 0; }, {"`concentration = 0`", "above 0"});
  refused([](auto& o) { o.concentration_rate = std::nan(""); }, {"`concentration_rate = nan`"});
  refused([](auto& o) { o.strength = -1; }, {"`strength = -1`", "auto"});
  refused([](auto& o) { o.dof = 2; }, {"`dof = 2`", "above 2"});
  refused([](auto& o) { o.mean = Vector::Zero(2); }, {"`mean`", "2", "3"});
  refused([](auto& o) { o.scale = Matrix::Identity(2, 2); }, {"`scale`", "2 x 2", "3 x 3"});
  refused([](auto& o) { o.scale = -Matrix::Identity(3, 3); }, {"`scale`", "positive definite"});
  refused([](auto& o) { o.iterations = 0; }, {"`iterations = 0`"});
  refused([](auto& o) { o.burn_in = 100; }, {"`burn_in = 100`", "`iterations = 100`"});
  refused([](auto& o) { o.thin = 51; }, {"`thin = 51`", "at most 50"});
  refused([](auto& o) { o.threads = -1; }, {"`threads = -1`"});
}

TEST(DirichletProcessMixture, StopsWhenAsked) {
  const Groups groups = five_groups(200, 2);
  DirichletProcessMixture mixture(brief());
  int done = 0;
  MixtureCallbacks callbacks;
  callbacks.progress = [&](int iteration, int components) {
    done = iteration;
    EXPECT_GE(components, 1);
  };
  callbacks.stop = [&] { return done == 25; };
  mixture.fit(groups.points, callbacks);
  EXPECT_TRUE(mixture.stopped_early());
  EXPECT_EQ(mixture.draws().size(), 5U);
  callbacks.stop = [] { return true; };
  expect_error<Stopped>([&] { mixture.fit(groups.points, callbacks); }, {"stopped"});
  EXPECT_EQ(mixture.draws().size(), 5U);
}

TEST(DirichletProcessMixture, TakesRowsOfALargerMatrix) {
  const DenseMatrix wide = five_groups(500, 4).points;
  DirichletProcessMixture part(brief()), copy(brief());
  part.fit(wide.middleCols(1, 2));
  copy.fit(DenseMatrix(wide.middleCols(1, 2)));
  EXPECT_EQ(part.last().rest, copy.last().rest);
}

}  // namespace
}  // namespace m3lak
