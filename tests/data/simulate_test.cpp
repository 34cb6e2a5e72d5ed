#include "m3lak/simulate.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "data/expect_error.h"
#include "m3lak/error.h"

namespace m3lak {
namespace {

bool same(const Dataset& a, const Dataset& b) {
  for (std::size_t v = 0; v < a.views.size(); ++v) {
    const auto &x = a.views[v].dense(), &y = b.views[v].dense();
    if (a.views[v].absent != b.views[v].absent) return false;
    if (!((x.array() == y.array()) || (x.array().isNaN() && y.array().isNaN())).all()) return false;
  }
  return a.labels->of == b.labels->of;
}

/// Least squares of the class (±1) on the given columns, and the share of signs it gets right.
double accuracy_of_least_squares(const Dataset& data, const Eigen::MatrixXd& columns) {
  Vector y(data.instances());
  for (Index n = 0; n < y.size(); ++n) {
    y[n] = data.labels->of[static_cast<std::size_t>(n)] == 0 ? 1 : -1;
  }
  const Vector fit = columns * columns.colPivHouseholderQr().solve(y);
  return (fit.array() * y.array() > 0).cast<double>().mean();
}

SimulationOptions noiseless(Boundary boundary) {
  SimulationOptions options;
  options.instances = 4000;
  options.views = {10};
  options.latent = 2;
  options.private_latent = 0;
  options.noise = 0;
  options.boundary = boundary;
  return options;
}

TEST(Simulate, DoesNotDependOnThreads) {
  SimulationOptions options;
  options.missing_views = 0.2;
  options.missing_cells = 0.05;
  options.unknown_labels = 0.1;
  options.threads = 1;
  const Dataset one = simulate(options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    EXPECT_TRUE(same(one, simulate(options)));
  }
  options.seed = 2;
  EXPECT_FALSE(same(one, simulate(options)));
}

TEST(Simulate, HasTheVariancesOfTheModel) {
  // Var x = 1 + 2 noise² on average over features; sd of the average over 4000 features is below
  // 0.02 for these sizes, and the bound is five of them.
  SimulationOptions options;
  options.instances = 2000;
  options.views = {4000};
  options.noise = 0.5;
  const Dataset data = simulate(options);
  const double mean_square = data.views[0].dense().array().square().mean();
  EXPECT_NEAR(mean_square, 1 + 2 * 0.25, 0.1);
}

TEST(Simulate, ViewsShareTheLatentSpace) {
  // Without noise two views of two latent dimensions span the same plane.
  SimulationOptions options = noiseless(Boundary::linear);
  options.views = {5, 6};
  const Dataset data = simulate(options);
  const Eigen::MatrixXd a = data.views[0].dense(), b = data.views[1].dense();
  const Eigen::MatrixXd fit = a * a.colPivHouseholderQr().solve(b);
  EXPECT_TRUE(fit.isApprox(b, 1e-9));
}

TEST(Simulate, ClassesAreEvenAndBoundariesHaveTheirShape) {
  for (const auto& [boundary, linear] : {std::pair{Boundary::linear, true},
                                         {Boundary::ring, false},
                                         {Boundary::exclusive_or, false}}) {
    const Dataset data = simulate(noiseless(boundary));
    const auto counts = data.labels->counts();
    EXPECT_NEAR(static_cast<double>(counts[0]) / 4000, 0.5, 5 * 0.5 / std::sqrt(4000));
    const Eigen::MatrixXd x = data.views[0].dense();
    if (linear) {
      EXPECT_GT(accuracy_of_least_squares(data, x), 0.98);
    } else {
      EXPECT_LT(accuracy_of_least_squares(data, x), 0.55);
    }
    // Both curved boundaries are quadratic in the latent space, which the view spans; least squares
    // does not find the best threshold, so this is no more than "far better than chance".
    const Index d = x.cols();
    Eigen::MatrixXd squares(x.rows(), 1 + d * d);
    squares.col(0).setOnes();
    for (Index i = 0; i < d * d; ++i) {
      squares.col(i + 1) = x.col(i / d).cwiseProduct(x.col(i % d));
    }
    EXPECT_GT(accuracy_of_least_squares(data, linear ? x : squares), 0.8);
  }
}

TEST(Simulate, GapsHaveTheirShares) {
  SimulationOptions options;
  options.instances = 5000;
  options.views = {10, 10, 10};
  options.missing_views = 0.3;
  options.missing_cells = 0.1;
  options.unknown_labels = 0.2;
  const Dataset data = simulate(options);
  Index absent = 0, cells = 0, missing = 0;
  for (const View& view : data.views) {
    absent += view.absent_count();
    cells += (5000 - view.absent_count()) * 10;
    missing += view.missing_cells();
  }
  // Bounds: five deviations.
  EXPECT_NEAR(static_cast<double>(absent) / 15000, 0.3, 0.02);
  EXPECT_NEAR(static_cast<double>(missing) / static_cast<double>(cells), 0.1, 0.005);
  EXPECT_NEAR(static_cast<double>(data.labels->unknown_count()) / 5000, 0.2, 0.03);
  for (Index n = 0; n < 5000; ++n) {
    EXPECT_TRUE(data.views[0].has(n) || data.views[1].has(n) || data.views[2].has(n));
  }
}

TEST(Simulate, GapsDoNotChangeWhatIsThere) {
  SimulationOptions options;
  const Dataset whole = simulate(options);
  options.missing_cells = 0.3;
  const Dataset holed = simulate(options);
  const auto &a = whole.views[0].dense(), &b = holed.views[0].dense();
  EXPECT_TRUE((b.array().isNaN() || a.array() == b.array()).all());
}

TEST(Simulate, OptionsNameTheFieldTheValueAndTheRule) {
  const auto with = [](auto change) {
    SimulationOptions options;
    change(options);
    return [options] { simulate(options); };
  };
  expect_error<BadUsage>(with([](auto& o) { o.instances = 0; }),
                         {"instances = 0: must be at least 1"});
  expect_error<BadUsage>(with([](auto& o) { o.views = {}; }), {"views = (none)"});
  expect_error<BadUsage>(with([](auto& o) { o.views = {5, -1}; }), {"views = -1"});
  expect_error<BadUsage>(with([](auto& o) { o.latent = 0; }), {"latent = 0"});
  expect_error<BadUsage>(with([](auto& o) {
                           o.latent = 1;
                           o.boundary = Boundary::ring;
                         }),
                         {"latent = 1: must be at least 2"});
  expect_error<BadUsage>(with([](auto& o) { o.noise = -1; }), {"noise = -1"});
  expect_error<BadUsage>(with([](auto& o) { o.noise = std::nan(""); }), {"noise = nan"});
  expect_error<BadUsage>(with([](auto& o) { o.missing_views = 0.6; }),
                         {"missing-views = 0.6", "keep one view"});
  expect_error<BadUsage>(with([](auto& o) { o.missing_cells = -0.1; }), {"missing-cells = -0.1"});
}

}  // namespace
}  // namespace m3lak
