#include "numeric/hmc.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <numbers>

#include "numeric/dual_averaging.h"

namespace m3lak {
namespace {

using Eigen::MatrixXd;

/// V(q) = Σ cos q
double ripple(const MatrixXd& q, MatrixXd& gradient) {
  gradient = -q.array().sin();
  return q.array().cos().sum();
}

TEST(Hmc, TrajectoriesRunBackwards) {
  for (const bool rotating : {true, false}) {
    const auto run = [&](MatrixXd& q, MatrixXd& p) {
      TrajectoryMemory<MatrixXd> memory;
      if (rotating) {
        rotate_and_kick(q, p, 0.3, 7, memory, ripple);
      } else {
        leapfrog(q, p, 0.3, 7, memory, ripple);
      }
    };
    const MatrixXd start = MatrixXd::Random(3, 4), momentum = MatrixXd::Random(3, 4);
    MatrixXd q = start, p = momentum;
    run(q, p);
    EXPECT_GT((q - start).norm(), 0.5);
    p = -p;
    run(q, p);
    EXPECT_TRUE(q.isApprox(start, 1e-12));
    EXPECT_TRUE((-p).isApprox(momentum, 1e-12));
  }
}

TEST(Hmc, EnergyErrorsShrinkWithTheSquareOfTheStep) {
  const auto rise = [](double step, int steps) {
    MatrixXd q = MatrixXd::Constant(1, 1, 0.7), p = MatrixXd::Constant(1, 1, 1.1);
    const double before = 0.5 * (q.squaredNorm() + p.squaredNorm());
    TrajectoryMemory<MatrixXd> memory;
    const auto ends = rotate_and_kick(q, p, step, steps, memory, ripple);
    return std::abs(0.5 * (q.squaredNorm() + p.squaredNorm()) - before + ends.last - ends.first);
  };
  const double ratio = rise(0.2, 5) / rise(0.1, 10);
  EXPECT_GT(ratio, 3.5);
  EXPECT_LT(ratio, 4.5);
}

TEST(Hmc, AQuarterTurnSwapsPlaceAndMomentumIfNothingPulls) {
  MatrixXd q = MatrixXd::Random(2, 2), p = MatrixXd::Random(2, 2);
  const MatrixXd momentum = p;
  TrajectoryMemory<MatrixXd> memory;
  rotate_and_kick(q, p, std::numbers::pi / 6, 3, memory, [](const MatrixXd&, MatrixXd& gradient) {
    gradient.setZero();
    return 0.0;
  });
  EXPECT_TRUE(q.isApprox(momentum, 1e-12));
}

TEST(Hmc, AcceptsByMetropolis) {
  EXPECT_EQ(acceptance(-1), 1);
  EXPECT_EQ(acceptance(0), 1);
  EXPECT_DOUBLE_EQ(acceptance(0.5), std::exp(-0.5));
  EXPECT_EQ(acceptance(std::nan("")), 0);
  EXPECT_EQ(acceptance(INFINITY), 0);
}

TEST(DualAveraging, FindsTheStepOfTheWantedAcceptance) {
  // Moves of step s are accepted with probability exp(-s).
  DualAveraging step(0.01, 0.8);
  for (int i = 0; i < 2000; ++i) step.update(std::exp(-step.step()));
  step.freeze();
  EXPECT_NEAR(step.step(), -std::log(0.8), 0.02);
}

TEST(DualAveraging, StaysFiniteWhateverHappens) {
  DualAveraging up(0.1, 0.8), down(0.1, 0.8);
  for (int i = 0; i < 5000; ++i) {
    up.update(1);
    down.update(0);
  }
  up.freeze();
  down.freeze();
  EXPECT_TRUE(std::isfinite(up.step()));
  EXPECT_GT(down.step(), 0);
}

}  // namespace
}  // namespace m3lak
