#include "model/features.h"

#include <gtest/gtest.h>

#include <cmath>

namespace m3lak {
namespace {

struct Small {
  Matrix omega = Matrix::Random(3, 4), beta = 2 * Matrix::Random(9, 2),
         h = 2 * Matrix::Random(3, 5);

  Matrix f(const Matrix& frequencies, const Matrix& latents) const {
    Waves at_h;
    waves(frequencies, latents, at_h);
    return scores(beta, at_h);
  }
};

TEST(Features, ScoresAreThoseOfTheFormula) {
  const Small small;
  const Matrix f = small.f(small.omega, small.h);
  for (Index n = 0; n < 5; ++n) {
    for (Index c = 0; c < 2; ++c) {
      double sum = small.beta(8, c);
      for (Index j = 0; j < 4; ++j) {
        const double angle = small.omega.col(j).dot(small.h.col(n));
        sum += (small.beta(j, c) * std::cos(angle) + small.beta(4 + j, c) * std::sin(angle)) / 2;
      }
      EXPECT_NEAR(f(c, n), sum, 1e-13);
    }
  }
}

/// The largest difference between a gradient and finite differences of Σ g f, by h or by ω.
template <class Gradient>
double gradient_error(const Small& small, const Matrix& g, bool by_omega,
                      const Gradient& gradient) {
  Waves at_h;
  waves(small.omega, small.h, at_h);
  const Matrix slope = slopes(small.beta, at_h, g);
  const Matrix exact = gradient(small, slope);
  double worst = 0;
  for (Index i = 0; i < exact.size(); ++i) {
    constexpr double e = 1e-5;
    const auto value = [&](double shift) {
      Matrix omega = small.omega, h = small.h;
      (by_omega ? omega : h).reshaped()[i] += shift;
      return g.cwiseProduct(small.f(omega, h)).sum();
    };
    worst = std::max(worst, std::abs(exact.reshaped()[i] - (value(e) - value(-e)) / (2 * e)));
  }
  return worst;
}

TEST(Features, GradientsAreThoseOfFiniteDifferences) {
  const Small small;
  const Matrix g = Matrix::Random(2, 5);
  const auto by_h = [](const Small& s, const Matrix& slope) -> Matrix { return s.omega * slope; };
  const auto by_omega = [](const Small& s, const Matrix& slope) -> Matrix {
    return s.h * slope.transpose();
  };
  EXPECT_LT(gradient_error(small, g, false, by_h), 1e-8);
  EXPECT_LT(gradient_error(small, g, true, by_omega), 1e-8);
  // A gradient that is off by a little is seen.
  EXPECT_GT(gradient_error(small, g, false,
                           [](const Small& s, const Matrix& slope) -> Matrix {
                             return 1.001 * s.omega * slope;
                           }),
            1e-5);
}

}  // namespace
}  // namespace m3lak
