#include "model/mixture.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "model/grid_law.h"
#include "numeric/distributions.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

NormalInverseWishart small_base() {
  return {Vector::Constant(1, 0.3), 0.8, Matrix::Constant(1, 1, 4), 6};
}

TEST(Mixture, PosteriorIsThatOfBruteForce) {
  // In one dimension: p(μ, s | points) integrated over μ by hand gives the marginal of s.
  const NormalInverseWishart base = small_base();
  const Matrix points = (Matrix(1, 4) << 1.2, -0.4, 2.2, 0.1).finished();
  const auto log_joint = [&](double mu, double s) {
    double sum = -(base.dof / 2 + 1) * std::log(s) - base.scale(0) / (2 * s);
    sum += -0.5 * std::log(s) - 0.5 * base.strength * (mu - base.mean[0]) * (mu - base.mean[0]) / s;
    for (const double x : points.reshaped())
      sum += -0.5 * std::log(s) - 0.5 * (x - mu) * (x - mu) / s;
    return sum;
  };
  const auto marginal_of = [&](bool of_mean, double at) {
    double sum = 0;
    for (int i = 0; i < 400; ++i) {
      const double other = of_mean ? 0.05 + 0.05 * i : -6 + 0.03 * i;
      sum += std::exp(of_mean ? log_joint(at, other) : log_joint(other, at));
    }
    return std::log(sum + 1e-300);
  };
  std::vector<double> means, variances;
  Stream stream({.seed = 8});
  Workers workers(1);
  const NormalInverseWishart after = posterior(base, moments_of(workers, points));
  for (int i = 0; i < 20000; ++i) {
    const Component drawn = draw_component(stream, after);
    means.push_back(drawn.mean[0]);
    variances.push_back(drawn.factor(0, 0) * drawn.factor(0, 0));
  }
  const GridLaw mean_law([&](double at) { return marginal_of(true, at); }, -6, 6, 2000);
  const GridLaw variance_law([&](double at) { return marginal_of(false, at); }, 0.01, 20, 4000);
  EXPECT_GT(kolmogorov_p(means, mean_law), error_rate);
  EXPECT_GT(kolmogorov_p(variances, variance_law), error_rate);
  for (double& variance : variances) variance *= 1.05;
  EXPECT_LT(kolmogorov_p(variances, variance_law), error_rate);
}

TEST(Mixture, LogDensityIsTheGaussians) {
  const Matrix A = Matrix::Random(3, 3);
  const Matrix covariance = A * A.transpose() + Matrix::Identity(3, 3);
  const Component component{0, Vector::Random(3), covariance.llt().matrixL()};
  const Vector x = Vector::Random(3), away = x - component.mean;
  const double direct = -0.5 * away.dot(covariance.inverse() * away) -
                        0.5 * std::log(covariance.determinant()) -
                        1.5 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(component.log_density(x), direct, 1e-12);
}

// Points that are redrawn after each sweep make the chain's partition that of the prior: the number
// of components of n points is known.
std::vector<double> component_counts(double alpha, int points, int sweeps) {
  const NormalInverseWishart base = small_base();
  Stream stream({.seed = 12});
  Workers workers(1);
  Iteration iteration{12};
  Matrix x = Matrix::Zero(1, points);
  Mixture mixture = one_component(workers, iteration, x, base, alpha);
  std::vector<double> counts(static_cast<std::size_t>(points), 0.0);
  for (int i = 0; i < sweeps; ++i) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      for (Index j = 0; j < points; ++j) {
        const Component& component = mixture.component_of(j);
        x(0, j) = component.mean[0] + component.factor(0, 0) * normal(stream);
      }
      ++iteration.number;
      draw_mixture(workers, iteration, x, base, {}, mixture);
    }
    counts[mixture.components.size() - 1] += 1;
  }
  return counts;
}

/// P(K components of n points): the number of tables of the Chinese restaurant.
std::vector<double> table_probabilities(double alpha, int points) {
  std::vector<double> p(static_cast<std::size_t>(points) + 1, 0.0);
  p[1] = 1;
  for (int n = 1; n < points; ++n) {
    for (std::size_t k = p.size() - 1; k >= 1; --k) {
      p[k] = (p[k] * n + p[k - 1] * alpha) / (n + alpha);
    }
  }
  return {p.begin() + 1, p.end()};
}

TEST(Mixture, HasThePriorsNumberOfComponents) {
  const auto law = table_probabilities(1.3, 5);
  EXPECT_GT(counts_p(component_counts(1.3, 5, 3000), law), error_rate);
  EXPECT_LT(counts_p(component_counts(1.8, 5, 3000), law), error_rate);
}

/// Whether a chain of 3000 sweeps tells three groups apart, to which points belong in turn.
bool finds_groups(std::uint64_t seed, const Matrix& points, const NormalInverseWishart& base) {
  Workers workers(1);
  Iteration iteration{seed};
  Mixture mixture = one_component(workers, iteration, points, base, 0.2);
  // How often two neighbours of one group, and of two groups, are in the same component.
  double together = 0, mixed = 0;
  constexpr int burn_in = 2000, sweeps = 1000;
  const auto pairs = static_cast<std::size_t>(points.cols() - 3);
  for (int i = 0; i < burn_in + sweeps; ++i) {
    ++iteration.number;
    draw_mixture(workers, iteration, points, base, {}, mixture);
    for (std::size_t j = 0; i >= burn_in && j < pairs; ++j) {
      together += mixture.of[j] == mixture.of[j + 3];
      mixed += mixture.of[j] == mixture.of[j + 1];
    }
  }
  double total = std::exp(mixture.log_rest);
  for (const Component& component : mixture.components) total += std::exp(component.log_weight);
  EXPECT_NEAR(total, 1, 1e-12);
  const double all = sweeps * static_cast<double>(pairs);
  return together / all > 0.8 && mixed / all < 0.01;
}

TEST(Mixture, FindsAKnownMixture) {
  Stream stream({.seed = 21});
  constexpr Index count = 300;
  Matrix points(2, count);
  for (Index j = 0; j < count; ++j) {
    const double centre = j % 3 == 0 ? -6 : j % 3 == 1 ? 0 : 7;
    points.col(j) << centre + normal(stream), -centre + 0.5 * normal(stream);
  }
  const NormalInverseWishart base{Vector::Zero(2), 0.05, 2 * Matrix::Identity(2, 2), 5};
  // From one component with a small α the sampler by itself takes long to split groups, and not
  // every chain has done so after 2000 sweeps.
  int found = 0;
  constexpr int chains = 6;
  for (std::uint64_t seed = 1; seed <= chains; ++seed) found += finds_groups(seed, points, base);
  EXPECT_GE(found, chains / 2);
}

TEST(Mixture, SurvivesATinyConcentration) {
  Workers workers(1);
  Iteration iteration{2};
  const Matrix points = Matrix::Random(2, 20);
  const NormalInverseWishart base{Vector::Zero(2), 1, Matrix::Identity(2, 2), 2};
  Mixture mixture = one_component(workers, iteration, points, base, 1e-6);
  for (int i = 0; i < 200; ++i) {
    ++iteration.number;
    draw_mixture(workers, iteration, points, base, {}, mixture);
  }
  EXPECT_EQ(mixture.components.size(), 1U);
}

}  // namespace
}  // namespace m3lak
