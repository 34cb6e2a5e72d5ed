#include "model/latent.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "model/grid_law.h"
#include "model/plain_features.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

// One latent dimension, a label and three frequencies: a target with several modes. Thousands of
// instances are alike and start from exact draws; after many moves they must still be such draws.
struct OneDimension {
  Matrix omega = (Matrix(1, 3) << 0.7, 1.9, -2.6).finished();
  Matrix beta = (Matrix(7, 1) << 1.5, -2, 0.5, 3, 1, -1, 0.2).finished();
  double precision = 0.8, b = 0.5, C = 1.2, weight = 1, inverse_lambda = 0.9, linear = 0.6;
  bool integrated = true;

  double log_density(double h) const {
    double f = beta(6) + linear;
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
  constexpr Index count = 8000;
  const LatentGaussian gaussian{Matrix::Constant(1, 1, believed.precision),
                                Matrix::Constant(1, 1, std::sqrt(believed.precision))};
  const RowMatrix<double> b = RowMatrix<double>::Constant(count, 1, believed.b);
  const Matrix y = Matrix::Constant(1, count, -1);
  const Matrix x = Matrix::Constant(1, count, believed.inverse_lambda);
  const Matrix linear = Matrix::Constant(1, count, believed.linear);
  const LatentPotential<double> potential(gaussian, believed.omega, believed.beta,
                                          {believed.C, believed.integrated}, believed.weight,
                                          {hmc, hmc == Hmc::preconditioned ? 0.5 : 0.6, 3});
  LatentPotential<double>::Memory memory;
  const GridLaw law([&](double at) { return truth.log_density(at); }, -12, 12);
  Stream start({.seed = 6});
  Matrix h(1, count);
  for (double& value : h.reshaped()) value = law.quantile(start.uniform());
  for (std::uint64_t i = 0; i < 60; ++i) {
    potential.move(b, y, x, linear, Streams{{.seed = 5, .number = i}, Step::latent}, memory, h);
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
  wrong.linear = 0;
  EXPECT_LT(latent_p(truth, wrong, Hmc::preconditioned), error_rate);
  wrong = truth;
  wrong.precision *= 3;
  EXPECT_LT(latent_p(truth, wrong, Hmc::plain), error_rate);
  wrong = truth;
  wrong.b += 0.5;
  EXPECT_LT(latent_p(truth, wrong, Hmc::preconditioned), error_rate);
}

TEST(Latent, PullIsThatOfTheHingeAndItsGradient) {
  constexpr Index count = lanes<double>;
  const Matrix omega = Matrix::Random(3, 5), beta = Matrix::Random(11, 2);
  const Matrix h = Matrix::Random(3, count);
  Matrix y = Matrix::Random(2, count).cwiseSign();
  y.col(1).setZero();
  const Matrix x = Matrix::Random(2, count).cwiseAbs(), linear = Matrix::Random(2, count);
  const Matrix A = Matrix::Random(3, 3);
  const Matrix precision = A * A.transpose() + Matrix::Identity(3, 3);
  const LatentGaussian gaussian{precision, precision.llt().matrixL()};
  for (const bool integrated : {true, false}) {
    for (const Hmc hmc : {Hmc::preconditioned, Hmc::plain}) {
      const Hinge hinge{1.5, integrated};
      const LatentPotential<double> potential(gaussian, omega, beta, hinge, 0.7, {hmc, 0.1, 1});
      // A place is Lᵀh if the move is preconditioned.
      const Matrix to_place =
          hmc == Hmc::plain ? Matrix(Matrix::Identity(3, 3)) : Matrix(gaussian.factor.transpose());
      const Matrix place = to_place * h;
      const auto energies = [&](const Matrix& at) {
        const Matrix f = plain_scores(omega, beta, to_place.inverse() * at) + linear;
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(count);
        for (Index n = 0; n < count; ++n) {
          for (Index c = 0; c < 2; ++c) sum[n] += 0.7 * hinge.energy(y(c, n), f(c, n), x(c, n));
        }
        return sum;
      };
      LatentPotential<double>::Memory memory;
      take_columns<double>(y, 0, memory.y);
      take_columns<double>(x, 0, memory.inverse_lambda);
      take_columns<double>(linear, 0, memory.linear);
      Panel<double> panel, gradient;
      take_columns<double>(place, 0, panel);
      const auto found = potential.pull(panel, gradient, memory);
      EXPECT_TRUE(found.matrix().isApprox(energies(place), 1e-12));
      for (Index i = 0; i < place.size(); ++i) {
        constexpr double e = 1e-6;
        Matrix up = place, down = place;
        up.reshaped()[i] += e;
        down.reshaped()[i] -= e;
        const double slope = (energies(up).sum() - energies(down).sum()) / (2 * e);
        EXPECT_NEAR(gradient(i % 3, i / 3), slope, 1e-7);
      }
    }
  }
}

TEST(Latent, MixedPrecisionMovesAlmostAlike) {
  constexpr Index count = 100;
  const Matrix omega = Matrix::Random(3, 5), beta = Matrix::Random(11, 1);
  const Matrix y = Matrix::Random(1, count).cwiseSign(), x = Matrix::Ones(1, count);
  const Matrix linear = Matrix::Random(1, count);
  const RowMatrix<double> b = RowMatrix<double>::Random(count, 3);
  const LatentGaussian gaussian{2 * Matrix::Identity(3, 3),
                                std::sqrt(2.0) * Matrix::Identity(3, 3)};
  const Move move{Hmc::preconditioned, 0.3, 2};
  const Streams streams{{.seed = 5}, Step::latent};
  Matrix wide = Matrix::Random(3, count), narrow = wide;
  LatentPotential<double>::Memory memory;
  LatentPotential<float>::Memory float_memory;
  LatentPotential<double>(gaussian, omega, beta, {1, true}, 1, move)
      .move(b, y, x, linear, streams, memory, wide);
  LatentPotential<float>(gaussian, omega, beta, {1, true}, 1, move)
      .move(b.cast<float>(), y, x, linear, streams, float_memory, narrow);
  EXPECT_TRUE(narrow.isApprox(wide, 1e-5));
  EXPECT_NE(narrow, wide);
}

TEST(Latent, WithoutALabelItIsGaussian) {
  const Matrix A = Matrix::Random(3, 3);
  const Matrix precision = A * A.transpose() + Matrix::Identity(3, 3);
  const LatentGaussian gaussian{precision, precision.llt().matrixL()};
  constexpr Index count = 20000;
  const Vector b = Vector::LinSpaced(3, -1, 2);
  Matrix h(3, count);
  LatentPotential<double>::Memory memory;
  LatentPotential<double>(gaussian, Matrix::Zero(3, 1), Matrix::Zero(3, 1), {1, true}, 1,
                          {Hmc::preconditioned, 0.1, 1})
      .draw(b.transpose().replicate(count, 1), Streams{{.seed = 2}, Step::latent}, memory, h);
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
