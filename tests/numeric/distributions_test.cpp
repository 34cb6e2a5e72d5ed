#include "numeric/distributions.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/inverse_gaussian.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <limits>
#include <stdexcept>

#include "numeric/statistics.h"

namespace m3lak {
namespace {

constexpr std::size_t draws = 50000;
constexpr double infinity = std::numeric_limits<double>::infinity();

double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// Of log G with G ~ Gamma(shape, 1). Far down, where G underflows, P(G < g) = g^shape / Γ(shape +
// 1).
auto log_gamma_cdf(double shape) {
  return [shape](double y) {
    return y < -40 ? std::exp(shape * y - std::lgamma(shape + 1))
                   : boost::math::gamma_p(shape, std::exp(y));
  };
}

auto gamma_cdf(double shape, double rate) {
  return [=](double x) { return boost::math::gamma_p(shape, rate * x); };
}

auto inverse_gaussian_cdf(double mean, double shape) {
  return [law = boost::math::inverse_gaussian(mean, shape)](double x) {
    return x > 0 ? boost::math::cdf(law, x) : 0;
  };
}

double fraction_p(std::vector<double> values, double probability, const auto& event) {
  for (double& x : values) x = event(x) ? 1 : 0;
  return mean_p(values, probability);
}

TEST(NormalQuantile, InvertsTheDistributionFunction) {
  const boost::math::normal_distribution<long double> law;
  Stream stream({});
  std::vector<double> p = {0x1p-53, 1e-12, 0.0749, 0.075, 0.0751, 0.925, 1 - 0x1p-53};
  for (int i = 0; i < 1000; ++i) p.push_back(stream.uniform());
  for (int i = 0; i < 1000; ++i) p.push_back(std::pow(10, -300 * stream.uniform()));
  for (const double each : p) {
    const auto expected = static_cast<double>(boost::math::quantile(law, each));
    EXPECT_NEAR(normal_quantile(each), expected, 4e-15 * std::abs(expected)) << each;
  }
}

TEST(Normal, HasItsDistribution) {
  const auto values = sample(draws, 1, [](Stream& s) { return normal(s); });
  EXPECT_GT(kolmogorov_p(values, normal_cdf), error_rate);
  EXPECT_LT(kolmogorov_p(values, [](double x) { return normal_cdf(x / 1.1); }), error_rate);
}

TEST(Normal, TakesOneUniformEach) {
  Stream a({}), b({}), c({});
  std::vector<double> filled(11);
  fill_normal(a, filled);
  for (const double x : filled) EXPECT_EQ(x, normal(b));
  for (std::size_t i = 0; i < filled.size(); ++i) c.bits();
  EXPECT_EQ(a.bits(), c.bits());
}

TEST(Gamma, HasItsDistribution) {
  for (const double shape : {0.1, 0.5, 1.0, 1.5, 20.0, 1e6}) {
    const auto values = sample(draws, 2, [&](Stream& s) { return gamma(s, shape, 3); });
    EXPECT_GT(kolmogorov_p(values, gamma_cdf(shape, 3)), error_rate) << shape;
    EXPECT_LT(kolmogorov_p(values, gamma_cdf(shape * 1.05, 3)), error_rate) << shape;
  }
}

TEST(LogGamma, HasItsDistribution) {
  for (const double shape : {1e-3, 0.1, 1.0, 20.0, 1e6}) {
    const auto values = sample(draws, 3, [&](Stream& s) { return log_gamma_draw(s, shape); });
    EXPECT_GT(kolmogorov_p(values, log_gamma_cdf(shape)), error_rate) << shape;
    EXPECT_LT(kolmogorov_p(values, log_gamma_cdf(shape * 1.05)), error_rate) << shape;
    EXPECT_TRUE(std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) << shape;
  }
}

TEST(LogGamma, IsTheLogarithmOfGamma) {
  Stream a({}), b({});
  for (const double shape : {0.3, 2.0, 1e6}) {
    EXPECT_DOUBLE_EQ(gamma(a, shape, 5), std::exp(log_gamma_draw(b, shape)) / 5);
  }
}

TEST(LogGamma, RefusesWhatWouldNeverEnd) {
  Stream stream({});
  for (const double shape : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW(log_gamma_draw(stream, shape), std::invalid_argument) << shape;
  }
}

TEST(Beta, HasItsDistribution) {
  const auto cdf = [](double a, double b) {
    return [=](double x) { return boost::math::ibeta(a, b, x); };
  };
  for (const auto& [a, b] : {std::pair{2.0, 3.0}, {0.5, 0.5}, {1.0, 40.0}, {1e4, 1e4}}) {
    const auto values = sample(draws, 4, [&](Stream& s) { return beta(s, a, b); });
    EXPECT_GT(kolmogorov_p(values, cdf(a, b)), error_rate) << a << " " << b;
    EXPECT_LT(kolmogorov_p(values, cdf(b * 1.05, a)), error_rate) << a << " " << b;
  }
}

// Most draws are then next to 0 or 1, many nearer than a double can say.
TEST(Beta, WorksForTinyShapes) {
  const double a = 1e-3, b = 2e-3;
  const auto values = sample(draws, 5, [&](Stream& s) { return beta(s, a, b); });
  EXPECT_TRUE(std::ranges::all_of(values, [](double x) { return x >= 0 && x <= 1; }));
  EXPECT_GT(mean_p(values, a / (a + b)), error_rate);
  for (const double x : {1e-200, 1e-10, 0.5, 1 - 1e-10}) {
    const auto under = [&](double value) { return value < x; };
    EXPECT_GT(fraction_p(values, boost::math::ibeta(a, b, x), under), error_rate) << x;
    EXPECT_LT(fraction_p(values, boost::math::ibeta(a * 1.1, b, x), under), error_rate) << x;
  }
}

// As in the books: the smaller root is a difference.
double textbook_inverse_gaussian(Stream& stream, double mean, double shape) {
  const double g = normal(stream), u = stream.uniform(), y = g * g;
  const double x = mean + mean * mean * y / (2 * shape) -
                   mean / (2 * shape) * std::sqrt(4 * mean * shape * y + mean * mean * y * y);
  return u <= mean / (mean + x) ? x : mean * mean / x;
}

TEST(InverseGaussian, HasItsDistribution) {
  for (const auto& [mean, shape] : {std::pair{1.0, 1.0}, {0.1, 1.0}, {3.0, 0.2}, {50.0, 2.0}}) {
    const auto cdf = inverse_gaussian_cdf(mean, shape);
    const auto values =
        sample(draws, 6, [&](Stream& s) { return inverse_gaussian(s, 1 / mean, shape); });
    EXPECT_GT(kolmogorov_p(values, cdf), error_rate) << mean;
    const auto textbook =
        sample(draws, 6, [&](Stream& s) { return textbook_inverse_gaussian(s, mean, shape); });
    EXPECT_GT(kolmogorov_p(textbook, cdf), error_rate) << mean;
    const auto wrong =
        sample(draws, 6, [&](Stream& s) { return inverse_gaussian(s, 1 / mean, 1.1 * shape); });
    EXPECT_LT(kolmogorov_p(wrong, cdf), error_rate) << mean;
  }
}

TEST(InverseGaussian, KeepsItsDigitsAtHugeMeans) {
  for (const double mean : {1e8, 1e12}) {
    const auto cdf = inverse_gaussian_cdf(mean, 1);
    const auto values =
        sample(draws, 7, [&](Stream& s) { return inverse_gaussian(s, 1 / mean, 1); });
    EXPECT_GT(kolmogorov_p(values, cdf), error_rate) << mean;
    const auto textbook =
        sample(draws, 7, [&](Stream& s) { return textbook_inverse_gaussian(s, mean, 1); });
    EXPECT_LT(kolmogorov_p(textbook, cdf), error_rate) << mean;
  }
}

TEST(InverseGaussian, OfInverseMeanZeroIsLevy) {
  const auto levy = [](double shape) {
    return [=](double x) { return std::erfc(std::sqrt(shape / (2 * x))); };
  };
  for (const double q : {0.0, 1e-300}) {
    const auto values = sample(draws, 8, [&](Stream& s) { return inverse_gaussian(s, q, 2); });
    EXPECT_TRUE(std::ranges::all_of(values, [](double x) { return std::isfinite(x) && x > 0; }));
    EXPECT_GT(kolmogorov_p(values, levy(2)), error_rate);
    EXPECT_LT(kolmogorov_p(values, levy(2.2)), error_rate);
  }
}

TEST(InverseGaussian, OfTinyMeanIsItsMean) {
  Stream stream({});
  for (int i = 0; i < 1000; ++i) EXPECT_NEAR(inverse_gaussian(stream, 1e8, 1) * 1e8, 1, 1e-3);
}

std::vector<double> categorical_counts(const std::vector<double>& log_weights) {
  Stream stream({.seed = 9});
  std::vector<double> counts(log_weights.size());
  for (std::size_t i = 0; i < draws; ++i) ++counts[categorical(stream, log_weights)];
  return counts;
}

TEST(Categorical, HasItsProbabilitiesAtAnyScale) {
  const std::vector<double> probabilities = {0.1, 0.2, 0.3, 0.4}, wrong = {0.11, 0.19, 0.3, 0.4};
  for (const double shift : {0.0, -1e5, 1e5}) {
    std::vector<double> log_weights;
    for (const double p : probabilities) log_weights.push_back(std::log(p) + shift);
    const std::vector<double> counts = categorical_counts(log_weights);
    EXPECT_GT(counts_p(counts, probabilities), error_rate) << shift;
    EXPECT_LT(counts_p(counts, wrong), error_rate) << shift;
  }
}

TEST(Categorical, NeverTakesAWeightOfNothing) {
  const std::vector<double> counts =
      categorical_counts({-infinity, -1e5, -infinity, -2e5, -infinity});
  EXPECT_EQ(counts[1], draws);
}

TEST(Categorical, RefusesToChooseFromNothing) {
  Stream stream({});
  const double nan = std::nan("");
  for (const std::vector<double>& log_weights :
       std::vector<std::vector<double>>{{},
                                        {-infinity, -infinity},
                                        {0, nan},
                                        {nan, 0},
                                        {nan},
                                        {-infinity, nan},
                                        {infinity, 0}}) {
    EXPECT_THROW(categorical(stream, log_weights), std::invalid_argument);
  }
}

TEST(Normal, ManyAtOnceAreTheQuantilesOfEach) {
  // All lengths around that of lanes, and values of the middle, the tails and far out.
  std::vector<double> uniforms = {0.5, 1e-300, 1e-20, 0.07, 0.075, 0.0751, 0.925, 0.93, 1 - 1e-15};
  Stream stream({.seed = 3});
  while (uniforms.size() < 40) uniforms.push_back(stream.uniform());
  for (std::size_t length = 0; length <= uniforms.size(); ++length) {
    std::vector<double> normals(uniforms.begin(),
                                uniforms.begin() + static_cast<std::ptrdiff_t>(length));
    normals_of_uniforms(normals);
    for (std::size_t i = 0; i < length; ++i) {
      EXPECT_DOUBLE_EQ(normals[i], normal_quantile(uniforms[i])) << uniforms[i];
    }
  }
}

}  // namespace
}  // namespace m3lak
