#include "numeric/matrix_distributions.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <functional>
#include <stdexcept>

#include "numeric/distributions.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int draws = 20000;

// A positive definite matrix far from diagonal.
MatrixXd some_matrix(Index p) {
  Stream stream({.seed = 77});
  MatrixXd A(p, p);
  fill_normal(stream, {A.data(), static_cast<std::size_t>(A.size())});
  return A * A.transpose() + 0.3 * MatrixXd::Identity(p, p);
}

// A Cholesky factor as Eigen leaves it, with rubbish above the diagonal.
MatrixXd factor(const MatrixXd& matrix) {
  MatrixXd L = matrix.llt().matrixLLT();
  L.triangularView<Eigen::StrictlyUpper>().setConstant(1e3);
  return L;
}

/// The smallest p-value over the elements, with the same `expected` mean as the draws' shape.
double smallest_mean_p(const std::vector<MatrixXd>& matrices, const MatrixXd& expected) {
  double smallest = 1;
  std::vector<double> element(matrices.size());
  for (Index i = 0; i < expected.size(); ++i) {
    for (std::size_t n = 0; n < matrices.size(); ++n) element[n] = matrices[n](i);
    smallest = std::min(smallest, mean_p(element, expected(i)));
  }
  return smallest;
}

std::vector<MatrixXd> sample_matrices(std::uint64_t seed, const auto& draw) {
  Stream stream({.seed = seed});
  std::vector<MatrixXd> matrices;
  for (int n = 0; n < draws; ++n) matrices.push_back(draw(stream));
  return matrices;
}

// First and second moments about the expected mean.
std::pair<double, double> moments_p(const std::vector<MatrixXd>& vectors, const VectorXd& mean,
                                    const MatrixXd& covariance) {
  std::vector<MatrixXd> products;
  for (const MatrixXd& x : vectors) products.push_back((x - mean) * (x - mean).transpose());
  return {smallest_mean_p(vectors, mean), smallest_mean_p(products, covariance)};
}

TEST(NormalFromPrecision, HasItsMoments) {
  const MatrixXd P = some_matrix(4), L = factor(P), covariance = P.inverse();
  const VectorXd b = VectorXd::LinSpaced(4, -1, 2), mean = covariance * b;
  const auto vectors =
      sample_matrices(1, [&](Stream& s) { return normal_from_precision(s, L, b); });
  const auto [first, second] = moments_p(vectors, mean, covariance);
  EXPECT_GT(first, error_rate);
  EXPECT_GT(second, error_rate);

  // The checks can fail: a mean that was not solved for, a covariance 10% too large.
  EXPECT_LT(moments_p(vectors, b, covariance).first, error_rate);
  EXPECT_LT(moments_p(vectors, mean, 1.1 * covariance).second, error_rate);
}

TEST(NormalFromPrecision, HasNormalMarginals) {
  const MatrixXd P = some_matrix(4), L = factor(P), covariance = P.inverse();
  const VectorXd b = VectorXd::LinSpaced(4, -1, 2), a = VectorXd::LinSpaced(4, 1, 3);
  const double mean = a.dot(covariance * b), deviation = std::sqrt(a.dot(covariance * a));
  const auto values =
      sample(draws, 2, [&](Stream& s) { return a.dot(normal_from_precision(s, L, b)); });
  EXPECT_GT(kolmogorov_p(values,
                         [&](double x) {
                           return std::erfc((mean - x) / deviation / std::numbers::sqrt2) / 2;
                         }),
            error_rate);
}

TEST(NormalRowsFromPrecision, AreVectorsOneAfterTheOther) {
  const MatrixXd L = factor(some_matrix(5));
  const MatrixXd B = MatrixXd::Random(7, 5);
  Stream a({}), b({});
  const MatrixXd rows = normal_rows_from_precision(a, L, B);
  for (Index i = 0; i < B.rows(); ++i) {
    const VectorXd row = normal_from_precision(b, L, B.row(i).transpose());
    EXPECT_LT((rows.row(i).transpose() - row).norm(), 1e-12 * row.norm());
  }
  EXPECT_EQ(a.bits(), b.bits());
}

TEST(Dirichlet, HasItsMarginals) {
  const VectorXd shapes{{0.5, 2.0, 3.5}};
  const auto cdf = [&](Index i, double more) {
    return [=, a = shapes(i) * more, rest = shapes.sum() - shapes(i)](double x) {
      return boost::math::ibeta(a, rest, x);
    };
  };
  for (Index i = 0; i < shapes.size(); ++i) {
    const auto values = sample(draws, 3, [&](Stream& s) { return dirichlet(s, shapes)(i); });
    EXPECT_GT(kolmogorov_p(values, cdf(i, 1)), error_rate) << i;
    EXPECT_LT(kolmogorov_p(values, cdf(i, 1.1)), error_rate) << i;
  }
}

TEST(Dirichlet, WorksForTinyShapes) {
  const double a = 1e-3, rest = 3e-3;
  const VectorXd shapes{{1e-3, 1e-3, 2e-3}};
  // Of the logarithm y of a Beta(a, rest). Far down, P(x) = x^a / (a B(a, rest)).
  const auto cdf = [&](double a) {
    return [=](double y) {
      return y < -40 ? std::exp(a * y) / (a * boost::math::beta(a, rest))
                     : boost::math::ibeta(a, rest, std::exp(y));
    };
  };
  // Draws within 1e-16 of 1 have the logarithm 0: a tie, so the test looks at those below 1/2.
  const double half = cdf(a)(std::log(0.5));
  std::vector<double> low;
  Stream stream({.seed = 4});
  for (int n = 0; n < draws; ++n) {
    const VectorXd logs = log_dirichlet(stream, shapes);
    ASSERT_TRUE(logs.allFinite());
    ASSERT_NEAR(logs.array().exp().sum(), 1, 1e-14);
    if (logs(0) < std::log(0.5)) low.push_back(logs(0));
  }
  std::vector<double> is_low(draws);
  std::fill_n(is_low.begin(), low.size(), 1);
  EXPECT_GT(mean_p(is_low, half), error_rate);
  EXPECT_GT(kolmogorov_p(low, [&](double y) { return cdf(a)(y) / half; }), error_rate);
  const double wrong = cdf(1.1 * a)(std::log(0.5));
  EXPECT_LT(kolmogorov_p(low, [&](double y) { return cdf(1.1 * a)(y) / wrong; }), error_rate);
}

double chi_square_cdf(double dof, double x) { return boost::math::gamma_p(dof / 2, x / 2); }

// For any a: aᵀWa / aᵀVa ~ χ²(dof) and aᵀV⁻¹a / aᵀW⁻¹a ~ χ²(dof - p + 1) if W ~ Wishart(dof, V).
// Given the factor of V and factors of draws of W, or both of their inverses.
struct WishartCheck {
  std::vector<double> whole, rest;
  double dof = 0, p = 0;

  WishartCheck(double degrees, const std::vector<MatrixXd>& factors, const MatrixXd& scale_factor,
               bool inverse)
      : dof(degrees), p(static_cast<double>(scale_factor.rows())) {
    const VectorXd a = VectorXd::LinSpaced(scale_factor.rows(), 0.5, -2);
    const auto form = [&](const MatrixXd& L) {
      return (L.transpose().triangularView<Eigen::Upper>() * a).squaredNorm();
    };
    const auto inverse_form = [&](const MatrixXd& L) {
      return L.triangularView<Eigen::Lower>().solve(a).squaredNorm();
    };
    for (const MatrixXd& L : factors) {
      const double r = form(L) / form(scale_factor);
      const double s = inverse_form(scale_factor) / inverse_form(L);
      whole.push_back(inverse ? 1 / s : r);
      rest.push_back(inverse ? 1 / r : s);
    }
  }

  double whole_p() const {
    return kolmogorov_p(whole, [&](double x) { return chi_square_cdf(dof, x); });
  }
  double rest_p() const {
    return kolmogorov_p(rest, [&](double x) { return chi_square_cdf(dof - p + 1, x); });
  }
};

TEST(Wishart, HasItsDistributionDownToTheSmallestDegreesOfFreedom) {
  const MatrixXd V = some_matrix(3), C = factor(V);
  for (const double dof : {2.2, 3.0, 4.5, 30.0}) {
    const auto factors = sample_matrices(5, [&](Stream& s) { return wishart(s, dof, C); });
    const WishartCheck check(dof, factors, C, false);
    EXPECT_GT(check.whole_p(), error_rate) << dof;
    EXPECT_GT(check.rest_p(), error_rate) << dof;

    std::vector<MatrixXd> products;
    for (const MatrixXd& L : factors) products.push_back(L * L.transpose());
    EXPECT_GT(smallest_mean_p(products, dof * V), error_rate) << dof;
    EXPECT_LT(smallest_mean_p(products, dof * 1.1 * V), error_rate) << dof;
  }
}

TEST(InverseWishart, HasItsDistributionDownToTheSmallestDegreesOfFreedom) {
  const MatrixXd Psi = some_matrix(3), C = factor(Psi);
  for (const double dof : {2.2, 3.0, 4.5, 30.0}) {
    const auto factors = sample_matrices(6, [&](Stream& s) { return inverse_wishart(s, dof, C); });
    const WishartCheck check(dof, factors, C, true);
    EXPECT_GT(check.whole_p(), error_rate) << dof;
    EXPECT_GT(check.rest_p(), error_rate) << dof;

    // The check can fail: on draws of other degrees of freedom.
    const WishartCheck wrong(dof * 1.05, factors, C, true);
    EXPECT_LT(std::min(wrong.whole_p(), wrong.rest_p()), error_rate) << dof;
  }
}

// What the order of the χ² in an upper factor is for: with that of the lower one, draws are wrong.
TEST(InverseWishart, CheckSeesTheWrongOrder) {
  const double dof = 4.5;
  const MatrixXd C = factor(some_matrix(3));
  const auto wrong = sample_matrices(6, [&](Stream& s) {
    MatrixXd U = MatrixXd::Zero(3, 3);
    for (Index i = 0; i < 3; ++i) {
      U(i, i) = std::sqrt(gamma(s, (dof - static_cast<double>(i)) / 2, 0.5));
      for (Index j = i + 1; j < 3; ++j) U(i, j) = normal(s);
    }
    MatrixXd B = C.triangularView<Eigen::Lower>();
    U.triangularView<Eigen::Upper>().transpose().solveInPlace<Eigen::OnTheRight>(B);
    return B;
  });
  const WishartCheck check(dof, wrong, C, true);
  EXPECT_LT(std::min(check.whole_p(), check.rest_p()), error_rate);
}

TEST(InverseWishart, HasItsMean) {
  const MatrixXd Psi = some_matrix(3), C = factor(Psi);
  const double dof = 12;
  auto products = sample_matrices(7, [&](Stream& s) { return inverse_wishart(s, dof, C); });
  for (MatrixXd& L : products) L = MatrixXd(L * L.transpose());
  EXPECT_GT(smallest_mean_p(products, Psi / (dof - 4)), error_rate);
  EXPECT_LT(smallest_mean_p(products, Psi / (dof - 3)), error_rate);
}

TEST(Wishart, GivesLowerFactorsWithPositiveDiagonalsHoweverFewDegreesOfFreedom) {
  Stream stream({.seed = 8});
  for (const Index p : {1, 2, 20}) {
    const MatrixXd C = factor(some_matrix(p));
    for (const double excess : {1e-12, 1e-3, 1.0}) {
      const double dof = static_cast<double>(p - 1) + excess;
      for (int n = 0; n < 100; ++n) {
        for (const MatrixXd& L : {wishart(stream, dof, C), inverse_wishart(stream, dof, C)}) {
          ASSERT_TRUE((L * L.transpose()).allFinite());
          ASSERT_TRUE((L.diagonal().array() > 0).all());
          ASSERT_TRUE(
              (L.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().array() == 0).all());
        }
      }
    }
  }
}

TEST(Wishart, RefusesTooFewDegreesOfFreedom) {
  Stream stream({});
  const MatrixXd C = MatrixXd::Identity(3, 3);
  for (const double dof : {2.0, -1.0, std::nan("")}) {
    EXPECT_THROW(wishart(stream, dof, C), std::invalid_argument);
    EXPECT_THROW(inverse_wishart(stream, dof, C), std::invalid_argument);
  }
}

}  // namespace
}  // namespace m3lak
