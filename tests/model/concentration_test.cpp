#include "model/concentration.h"

#include <gtest/gtest.h>

#include "model/grid_law.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

double concentration_p(double believed_rate) {
  const ConcentrationPrior prior{true, 2, believed_rate};
  std::vector<double> draws;
  Stream stream({.seed = 31});
  for (int replicate = 0; replicate < 5000; ++replicate) {
    double alpha = 1;
    for (int i = 0; i < 20; ++i) alpha = draw_concentration(stream, alpha, 4, 30, prior);
    draws.push_back(alpha);
  }
  // p(α) α^K Γ(α)/Γ(α + n)
  const GridLaw law(
      [](double alpha) {
        return std::log(alpha) - 1.5 * alpha + 4 * std::log(alpha) + std::lgamma(alpha) -
               std::lgamma(alpha + 30);
      },
      0, 15);
  return kolmogorov_p(draws, law);
}

TEST(Concentration, FollowsItsConditional) {
  EXPECT_GT(concentration_p(1.5), error_rate);
  EXPECT_LT(concentration_p(1.9), error_rate);
}

}  // namespace
}  // namespace m3lak
