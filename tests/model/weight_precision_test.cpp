#include "model/weight_precision.h"

#include <gtest/gtest.h>

#include "model/grid_law.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

TEST(WeightPrecision, FollowsItsConditional) {
  Options options;
  options.sample_weight_precision = true;
  options.weight_shape = 1.5;
  options.weight_rate = 0.8;
  State state;
  options.linear_variance = 2;
  state.beta = (Matrix(3, 1) << 1, -0.5, 2).finished();
  state.gamma = (Matrix(2, 1) << 0.3, -1).finished();
  std::vector<double> draws;
  for (int i = 0; i < 10000; ++i) {
    draw_weight_precision(Stream({.index = std::uint64_t(i)}), options, state);
    draws.push_back(state.weight_precision);
  }
  const auto law = [&](double rate) {
    return GridLaw(
        [&, rate](double v) {
          return 0.5 * std::log(v) - rate * v + 2.5 * std::log(v) -
                 0.5 * v * (state.beta.squaredNorm() + state.gamma.squaredNorm() / 2);
        },
        0, 12);
  };
  EXPECT_GT(kolmogorov_p(draws, law(0.8)), error_rate);
  EXPECT_LT(kolmogorov_p(draws, law(1.0)), error_rate);
  options.sample_weight_precision = false;
  state.weight_precision = 0.25;
  draw_weight_precision(Stream({}), options, state);
  EXPECT_EQ(state.weight_precision, 0.25);
}

}  // namespace
}  // namespace m3lak
