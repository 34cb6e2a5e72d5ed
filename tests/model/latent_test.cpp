#include "model/latent.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "model/grid_law.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

// One latent dimension, a label and three frequencies: a target with several modes. Thousands of
// instances are alike and start from exact draws; after many moves they must still be such draws.
struct OneDimension {
  Matrix omega = (Matrix(1, 3) << 0.7, 1.9, -2.6).finished();
  Matrix beta = (Matrix(7, 1) << 1.5, -2, 0.5, 3, 1, -1, 0.2).finished();
  double precision = 0.8, b = 0.5, C = 1.2, weight = 1, inverse_lambda = 0.9;
  bool integrated = true;

  double log_density(double h) const {
    double f = beta(6);
    for (Index j = 0; j < 3; ++j) {
      f += (beta(j) * std::cos(omega(j) * h) + beta(3 + j) * std::sin(omega(j) * h)) /
           std::sqrt(3.0);
    }
    const double zeta = 1 + f;  // y = -1
    const double lambda = 1 / inverse_lambda, inside = lambda + C * zeta;
    const double hinge = integrated ? 2 * C * std::max(0.0, zeta) : inside * inside / (2 * lambda);
    return -0.5 * precision * h * h + b * h - weight * hinge;
  }
};

double latent_p(const OneDimension& truth, const OneDimension& believed, Hmc hmc) {
  constexpr Index count = 4000;
  const LatentGaussian gaussian{Matrix::Constant(1, 1, believed.precision),
                                Matrix::Constant(1, 1, std::sqrt(believed.precision))};
  const Matrix b = Matrix::Constant(1, count, believed.b), y = Matrix::Constant(1, count, -1);
  const Matrix x = Matrix::Constant(1, count, believed.inverse_lambda);
  const LabelPull pull{
      believed.omega, believed.beta, {believed.C, believed.integrated}, believed.weight, y, x};
  const Move move{hmc, hmc == Hmc::preconditioned ? 0.5 : 0.6, 3};
  const GridLaw law([&](double at) { return truth.log_density(at); }, -12, 12);
  Stream start({.seed = 6});
  Matrix h(1, count);
  for (double& value : h.reshaped()) value = law.quantile(start.uniform());
  for (std::uint64_t i = 0; i < 60; ++i) {
    move_latents(
        gaussian, b, pull, move,
        [&](Index n) { return Stream({.seed = 5, .iteration = i, .index = std::uint64_t(n)}); }, h);
  }
  return kolmogorov_p({h.data(), h.data() + count}, law);
}

TEST(Latent, MovesFollowTheConditional) {
  for (const Hmc hmc : {Hmc::preconditioned, Hmc::plain}) {
    for (const bool integrated : {true, false}) {
      for (const double weight : {1.0, 0.3}) {
        OneDimension target;
        target.integrated = integrated;
        target.weight = weight;
        EXPECT_GT(latent_p(target, target, hmc), error_rate) << integrated << weight;
      }
    }
  }
}

TEST(Latent, PlantedErrorsAreCaught) {
  const OneDimension truth;
  OneDimension wrong = truth;
  wrong.C *= 1.3;
  EXPECT_LT(latent_p(truth, wrong, Hmc::preconditioned), error_rate);
  wrong = truth;
  wrong.precision *= 3;
  EXPECT_LT(latent_p(truth, wrong, Hmc::plain), error_rate);
  wrong = truth;
  wrong.b += 0.5;
  EXPECT_LT(latent_p(truth, wrong, Hmc::preconditioned), error_rate);
}

TEST(Latent, PullIsTheGradientOfItsEnergy) {
  const Matrix omega = Matrix::Random(3, 5), beta = Matrix::Random(11, 2);
  const Matrix h = Matrix::Random(3, 4);
  const Matrix y = (Matrix(2, 4) << 1, -1, 1, 0, -1, 1, -1, 0).finished();
  const Matrix x = Matrix::Random(2, 4).cwiseAbs();
  for (const bool integrated : {true, false}) {
    const LabelPull pull{omega, beta, {1.5, integrated}, 0.7, y, x};
    Matrix gradient(3, 4), ignored(3, 4);
    pull(h, gradient);
    for (Index i = 0; i < h.size(); ++i) {
      constexpr double e = 1e-6;
      Matrix up = h, down = h;
      up.reshaped()[i] += e;
      down.reshaped()[i] -= e;
      const double slope = (pull(up, ignored).sum() - pull(down, ignored).sum()) / (2 * e);
      EXPECT_NEAR(gradient.reshaped()[i], slope, 1e-7);
    }
  }
}

TEST(Latent, WithoutALabelItIsGaussian) {
  const Matrix A = Matrix::Random(3, 3);
  const Matrix precision = A * A.transpose() + Matrix::Identity(3, 3);
  const LatentGaussian gaussian{precision, precision.llt().matrixL()};
  constexpr Index count = 20000;
  const Vector b = Vector::LinSpaced(3, -1, 2);
  Matrix h(3, count);
  draw_latents(
      gaussian, b.replicate(1, count),
      [](Index n) { return Stream({.seed = 2, .index = std::uint64_t(n)}); }, h);
  const Vector mean = precision.inverse() * b;
  const Matrix covariance = precision.inverse();
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j <= i; ++j) {
      std::vector<double> products;
      for (Index n = 0; n < count; ++n) {
        products.push_back((h(i, n) - mean[i]) * (h(j, n) - mean[j]));
      }
      EXPECT_GT(mean_p(products, covariance(i, j)), error_rate);
    }
    const Vector row = h.row(i);
    EXPECT_GT(mean_p({row.begin(), row.end()}, mean[i]), error_rate);
  }
}

}  // namespace
}  // namespace m3lak
