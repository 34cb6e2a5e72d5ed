#include "model/hinge.h"

#include <gtest/gtest.h>

#include "model/augmentation.h"
#include "model/grid_law.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

TEST(Hinge, IsTheAugmentedFormIntegratedOverLambda) {
  // ∫ (2πλ)^{-1/2} exp(-(λ + Cζ)²/(2λ)) dλ = exp(-2C max(0, ζ)), with λ = s².
  for (const double C : {0.5, 2.0}) {
    for (const double f : {-1.5, 0.0, 0.7, 2.5}) {
      const double zeta = 1 - f;
      double integral = 0;
      constexpr double width = 1e-4;
      for (double s = width / 2; s < 20; s += width) {
        const double lambda = s * s, inside = lambda + C * zeta;
        integral +=
            2 * width / std::sqrt(2 * std::numbers::pi) * std::exp(-inside * inside / (2 * lambda));
      }
      const Hinge hinge{C, true};
      EXPECT_NEAR(std::log(integral), -hinge.energy(1, f, 0), 1e-6);
    }
  }
}

TEST(Hinge, AugmentedEnergyIsTheSquareUpToAConstant) {
  const Hinge hinge{1.7, false};
  const double lambda = 0.6;
  const auto direct = [&](double f) {
    const double inside = lambda + 1.7 * (1 + f);  // y = -1
    return inside * inside / (2 * lambda);
  };
  EXPECT_NEAR(hinge.energy(-1, 0.3, 1 / lambda) - hinge.energy(-1, -2, 1 / lambda),
              direct(0.3) - direct(-2), 1e-12);
}

TEST(Hinge, SlopeIsTheDerivative) {
  for (const bool integrated : {true, false}) {
    const Hinge hinge{1.3, integrated};
    for (const double y : {1.0, -1.0}) {
      for (const double f : {-1.7, 0.2, 1.6}) {
        constexpr double e = 1e-6;
        const double slope = (hinge.energy(y, f + e, 2.5) - hinge.energy(y, f - e, 2.5)) / (2 * e);
        EXPECT_NEAR(hinge.slope(y, f, 2.5), slope, 1e-6);
      }
    }
  }
}

TEST(Hinge, WithoutALabelThereIsNone) {
  Matrix slope;
  const Matrix y = Matrix::Zero(2, 3), f = Matrix::Random(2, 3), x = Matrix::Ones(2, 3);
  EXPECT_EQ(hinge_energy({1, true}, y, f, x, slope).norm(), 0);
  EXPECT_EQ(slope.norm(), 0);
  EXPECT_EQ(hinge_loss(y, f), 0);
}

// The conditional of λ: (2πλ)^{-1/2} exp(-(λ + Cζ)²/(2λ)), drawn as 1/λ.
double lambda_p(double drawn_C, double C, double y, double f) {
  const double zeta = 1 - y * f;
  const GridLaw law(
      [&](double log_lambda) {
        const double lambda = std::exp(log_lambda), inside = lambda + C * zeta;
        return 0.5 * log_lambda - inside * inside / (2 * lambda);  // of log λ
      },
      -40, 5, 200000);
  const auto logs = sample(20000, 3, [&](Stream& stream) {
    return -std::log(draw_inverse_lambda(stream, drawn_C, y, f));
  });
  return kolmogorov_p(logs, law);
}

TEST(Augmentation, FollowsItsConditional) {
  for (const double C : {0.3, 5.0}) {
    for (const double f : {-2.0, 0.5, 0.99, 3.0}) {
      EXPECT_GT(lambda_p(C, C, 1, f), error_rate) << C << " " << f;
      EXPECT_GT(lambda_p(C, C, -1, f), error_rate) << C << " " << f;
    }
  }
}

TEST(Augmentation, AWrongCIsCaught) { EXPECT_LT(lambda_p(1.1, 1.0, 1, -1), error_rate); }

TEST(Augmentation, StaysFiniteOnTheMargin) {
  Stream stream({.seed = 1});
  for (int i = 0; i < 10000; ++i) {
    const double x = draw_inverse_lambda(stream, 10, 1, 1);
    ASSERT_GT(x, 0);
    ASSERT_LE(x, largest_inverse_lambda);
  }
  EXPECT_EQ(draw_inverse_lambda(stream, 10, 0, 1), 0);
}

}  // namespace
}  // namespace m3lak
