#include "model/hinge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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
      EXPECT_NEAR(std::log(integral), -hinge.energy<double>(1, f, 0), 1e-6);
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
  EXPECT_NEAR(hinge.energy<double>(-1, 0.3, 1 / lambda) - hinge.energy<double>(-1, -2, 1 / lambda),
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
  for (const bool integrated : {true, false}) {
    const Hinge hinge{1, integrated};
    EXPECT_EQ(hinge.energy(0.0, 0.3, 1.0), 0);
    EXPECT_EQ(hinge.slope(0.0, 0.3, 1.0), 0);
  }
  EXPECT_EQ(hinge_loss(0.0, 0.3), 0);
  EXPECT_EQ(hinge_loss(-1.0, 0.3), 1.3);
  EXPECT_EQ(hinge_loss(1.0, 2.0), 0);
}

TEST(Hinge, OfLanesIsThatOfEachNumber) {
  for (const bool integrated : {true, false}) {
    const Hinge hinge{1.3, integrated};
    Lanes<double> y, f, x;
    for (int i = 0; i < lanes<double>; ++i) {
      y[i] = i % 3 - 1;
      f[i] = 0.7 * i - 1;
      x[i] = 0.5 + i;
    }
    const Lanes<double> energy = hinge.energy(y, f, x), slope = hinge.slope(y, f, x);
    for (int i = 0; i < lanes<double>; ++i) {
      EXPECT_DOUBLE_EQ(energy[i], hinge.energy<double>(y[i], f[i], x[i]));
      EXPECT_DOUBLE_EQ(slope[i], hinge.slope<double>(y[i], f[i], x[i]));
    }
  }
}

}  // namespace
}  // namespace m3lak
