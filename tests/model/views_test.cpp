// The conditionals of one view, against dense algebra and numerical integration.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "model/evidence.h"
#include "model/grid_law.h"
#include "model/missing_cells.h"
#include "model/noise.h"
#include "model/private_latent.h"
#include "model/projection.h"
#include "model/relevance.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

constexpr Index m = 2, K = 2, D = 4, N = 6;

struct OneView {
  Matrix P = Matrix::Random(D, m + K), X = 2 * Matrix::Random(D, N), Z = Matrix::Random(m + K, N);
  double noise = 1.7;

  Matrix W() const { return P.leftCols(m); }
  Matrix V() const { return P.rightCols(K); }
  Matrix gram() const { return P.transpose() * P; }
  /// Ψ = VVᵀ + I/τ
  Matrix Psi() const { return V() * V().transpose() + Matrix::Identity(D, D) / noise; }
};

TEST(Evidence, IntegratesTheViewsOwnLatentsOut) {
  const OneView view;
  const Evidence found = evidence(view.gram(), view.noise, m, true);
  const Matrix inverse = view.Psi().inverse();
  EXPECT_TRUE(found.precision.isApprox(view.W().transpose() * inverse * view.W(), 1e-12));
  EXPECT_TRUE((found.reading * view.P.transpose() * view.X)
                  .isApprox(view.W().transpose() * inverse * view.X, 1e-12));
}

TEST(Evidence, GivenTheViewsOwnLatentsItIsIsotropic) {
  const OneView view;
  const Evidence found = evidence(view.gram(), view.noise, m, false);
  EXPECT_TRUE(found.precision.isApprox(view.noise * view.W().transpose() * view.W(), 1e-12));
  EXPECT_TRUE((found.reading * view.P.transpose() * view.X)
                  .isApprox(view.noise * view.W().transpose() * view.X, 1e-12));
}

TEST(Evidence, AViewMayHaveNoLatentsOfItsOwn) {
  const OneView view;
  const Matrix gram = view.W().transpose() * view.W();
  const Evidence found = evidence(gram, view.noise, m, true);
  EXPECT_TRUE(found.precision.isApprox(view.noise * gram, 1e-12));
}

/// Are these draws (columns) of that mean and covariance? The smallest p-value.
double moments_p(const Matrix& draws, const Vector& mean, const Matrix& covariance) {
  double worst = 1;
  for (Index i = 0; i < draws.rows(); ++i) {
    const Vector row = draws.row(i);
    worst = std::min(worst, mean_p({row.begin(), row.end()}, mean[i]));
    for (Index j = 0; j <= i; ++j) {
      const Vector products = ((draws.row(i).array() - mean[i]) * (draws.row(j).array() - mean[j]));
      worst = std::min(worst, mean_p({products.begin(), products.end()}, covariance(i, j)));
    }
  }
  return worst;
}

TEST(PrivateLatent, HasItsMeanAndCovariance) {
  const OneView view;
  constexpr Index count = 20000;
  const Vector h = Vector::LinSpaced(m, -1, 1), x = view.X.col(0);
  const Evidence found = evidence(view.gram(), view.noise, m, true);
  Matrix u(K, count), normals;
  draw_private_latents(found, (view.V().transpose() * x).replicate(1, count), h.replicate(1, count),
                       Streams{{.seed = 3}, Step::private_latent}, normals, u);
  const Matrix S =
      (Matrix::Identity(K, K) + view.noise * view.V().transpose() * view.V()).inverse();
  const Vector mean = S * view.V().transpose() * view.noise * (x - view.W() * h);
  EXPECT_GT(moments_p(u, mean, S), error_rate);
  // The paper's sign, and the authors' prior precision.
  EXPECT_LT(moments_p(u, -mean, S), error_rate);
  EXPECT_LT(moments_p(u, mean, 0.9 * S), error_rate);
}

ViewStatistics statistics_of(const OneView& view) {
  return {view.X * view.Z.transpose(), view.Z * view.Z.transpose(), 0};
}

TEST(Projection, HasItsMeanAndCovariance) {
  const OneView view;
  ViewState state;
  state.noise = view.noise;
  state.relevance = Vector::LinSpaced(m, 0.5, 2);
  const double eta = 3;
  Workers workers(1);
  constexpr Index count = 8000;
  Matrix draws((m + K) * 2, count);  // of two rows, to see that they are independent
  for (Index n = 0; n < count; ++n) {
    draw_projection(workers, {1, 0, std::uint64_t(n)}, 0, D, statistics_of(view), eta, state);
    draws.col(n) << state.projection.row(0).transpose(), state.projection.row(3).transpose();
    ASSERT_TRUE(state.gram.isApprox(state.projection.transpose() * state.projection, 1e-12));
  }
  // Brute force: the regression of one feature on z.
  Matrix T = view.noise * view.Z * view.Z.transpose();
  T.diagonal() += (Vector(m + K) << 0.5, 2, eta, eta).finished();
  Vector mean((m + K) * 2);
  mean << T.inverse() * view.noise * view.Z * view.X.row(0).transpose(),
      T.inverse() * view.noise * view.Z * view.X.row(3).transpose();
  Matrix covariance = Matrix::Zero((m + K) * 2, (m + K) * 2);
  covariance.topLeftCorner(m + K, m + K) = covariance.bottomRightCorner(m + K, m + K) = T.inverse();
  EXPECT_GT(moments_p(draws, mean, covariance), error_rate);
  EXPECT_LT(moments_p(draws, mean, 1.1 * covariance), error_rate);
  EXPECT_LT(moments_p(draws, 1.05 * mean, covariance), error_rate);
}

TEST(Relevance, FollowsItsConditional) {
  Options options;
  options.relevance_shape = 1.5;
  options.relevance_rate = 0.7;
  const OneView view;
  ViewState state;
  state.projection = view.P;
  state.gram = view.gram();
  state.relevance.resize(m);
  std::vector<double> draws;
  for (int i = 0; i < 10000; ++i) {
    draw_relevance(Stream({.seed = 4, .index = std::uint64_t(i)}), options, D, state);
    draws.push_back(state.relevance[1]);
  }
  // p(r) Π_d N(w_d | 0, 1/r)
  const auto law = [&](double shape) {
    return GridLaw(
        [&, shape](double r) {
          double sum = (shape - 1) * std::log(r) - 0.7 * r;
          for (Index d = 0; d < D; ++d)
            sum += 0.5 * std::log(r) - 0.5 * r * view.P(d, 1) * view.P(d, 1);
          return sum;
        },
        0, 60);
  };
  EXPECT_GT(kolmogorov_p(draws, law(1.5)), error_rate);
  EXPECT_LT(kolmogorov_p(draws, law(1.7)), error_rate);
}

TEST(Noise, FollowsItsConditional) {
  Options options;
  options.noise_shape = 2;
  options.noise_rate = 1.2;
  const OneView view;
  ViewState state;
  state.projection = view.P;
  state.gram = view.gram();
  const double residual = squared_residual(state, statistics_of(view), view.X.squaredNorm());
  EXPECT_NEAR(residual, (view.X - view.P * view.Z).squaredNorm(), 1e-10);
  std::vector<double> draws;
  for (int i = 0; i < 10000; ++i) {
    draw_noise(Stream({.seed = 5, .index = std::uint64_t(i)}), options, D * N, residual, state);
    draws.push_back(state.noise);
  }
  const auto law = [&](double rate) {
    return GridLaw(
        [&, rate](double tau) {
          double sum = std::log(tau) - rate * tau;
          for (const double e : (view.X - view.P * view.Z).reshaped()) {
            sum += 0.5 * std::log(tau) - 0.5 * tau * e * e;
          }
          return sum;
        },
        0, 6);
  };
  EXPECT_GT(kolmogorov_p(draws, law(1.2)), error_rate);
  EXPECT_LT(kolmogorov_p(draws, law(2.4)), error_rate);
}

TEST(MissingCells, AreDrawnFromTheModel) {
  const OneView view;
  SparseMatrix fill(N, D);
  fill.insert(1, 0) = 0;
  fill.insert(1, 3) = 0;
  fill.insert(4, 2) = 0;
  fill.makeCompressed();
  constexpr Index count = 8000;
  Matrix draws(3, count);
  for (Index i = 0; i < count; ++i) {
    draw_missing_cells(view.P, view.noise, view.Z, 0,
                       Streams{{.number = std::uint64_t(i)}, Step::missing_cells}, fill);
    draws.col(i) << fill.coeff(1, 0), fill.coeff(1, 3), fill.coeff(4, 2);
  }
  const Matrix expected = view.P * view.Z;
  const Vector mean = (Vector(3) << expected(0, 1), expected(3, 1), expected(2, 4)).finished();
  EXPECT_GT(moments_p(draws, mean, Matrix::Identity(3, 3) / view.noise), error_rate);
  EXPECT_LT(moments_p(draws, mean, 1.1 * Matrix::Identity(3, 3) / view.noise), error_rate);
}

}  // namespace
}  // namespace m3lak
