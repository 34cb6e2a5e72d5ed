#include "model/augmentation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/grid_law.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

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
