#include "rivals/bm2smvl/gibbs.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/distributions.h"
#include "numeric/matrix_distributions.h"

namespace m3lak::bm2smvl_parts {

namespace {

constexpr Index features_a_block = 128;

}  // namespace

Gibbs::Gibbs(Workers& workers, const Problem& problem, const Bm2smvlOptions& options, double C,
             const DenseMatrix& H)
    : workers_(workers),
      problem_(problem),
      options_(options),
      C_(C),
      latent_(H.cols()),
      factors_(DenseMatrix::Zero(H.rows(),
                                 latent_ + std::ssize(problem.views) * options.private_factors)),
      kappa_(Vector::Zero(H.rows())),
      loadings_(Matrix::Zero(problem.features(), latent_ + options.private_factors)),
      mu_(problem.column_sums / static_cast<double>(problem.instances())),
      views_(problem.views.size()),
      eta_(Vector::Zero(latent_ + 1)),
      reduction_(Statistics::zero(problem.features(), factors_.cols(), latent_)) {
  factors_.leftCols(latent_) = H;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const Columns own = private_columns(i);
    views_[i].precision = Vector::Constant(latent_ + own.count, options.private_precision);
    views_[i].precision.head(latent_).setOnes();
    views_[i].factors.resize(static_cast<std::size_t>(latent_ + own.count));
    const auto shared_end = views_[i].factors.begin() + latent_;
    std::iota(views_[i].factors.begin(), shared_end, Index{0});
    std::iota(shared_end, views_[i].factors.end(), latent_ + own.first);
  }
  start_latents();
}

Stream Gibbs::stream(Step step, Index index) const {
  return Stream({.seed = options_.seed,
                 .iteration = sweep_,
                 .step = number(step),
                 .index = static_cast<std::uint64_t>(index)});
}

/// In U.
Columns Gibbs::private_columns(std::size_t i) const {
  return {static_cast<Index>(i) * options_.private_factors, options_.private_factors};
}

void Gibbs::sweep() {
  ++sweep_;
  for (std::size_t i = 0; i < views_.size(); ++i) draw_view(i);
  draw_weights();
  draw_latents();
}

void Gibbs::draw_view(std::size_t i) {
  View& view = views_[i];
  const auto [first, count] = problem_.views[i];
  const auto N = static_cast<double>(problem_.instances()), D = static_cast<double>(count);
  const auto index = static_cast<Index>(i);
  const Matrix cross = statistics_->cross.middleRows(first, count)(Eigen::all, view.factors);
  const Matrix second = statistics_->second(view.factors, view.factors);
  const Vector sum = statistics_->sum(view.factors);
  auto mu = mu_.segment(first, count);
  draw_loadings(i, cross - mu * sum.transpose(), second);
  const Matrix L = loadings_.middleRows(first, count);

  // μ: mean τ Σ (x - Lz)/(β + Nτ), variance 1/(β + Nτ)
  Stream of_means = stream(Step::means, index);
  const double variance = 1 / (options_.mean_precision + N * view.noise);
  mu = view.noise * variance * (problem_.column_sums.segment(first, count) - L * sum) +
       std::sqrt(variance) * normals(of_means, count, 1);

  // r_j ~ Gamma(a + D/2, b + ½‖w_j‖²)
  Stream of_relevance = stream(Step::relevance, index);
  for (Index j = 0; j < latent_; ++j) {
    view.precision[j] = gamma(of_relevance, options_.relevance.shape + D / 2,
                              options_.relevance.rate + L.col(j).squaredNorm() / 2);
  }

  // τ ~ Gamma(a + ND/2, b + ½‖X - μ - ZLᵀ‖²)
  Stream of_noise = stream(Step::noise, index);
  const double residual =
      squared_residual(problem_, i, mu, cross - mu * sum.transpose(), second, L, L.transpose() * L);
  view.noise =
      gamma(of_noise, options_.noise.shape + N * D / 2, options_.noise.rate + residual / 2);
}

// Rows of [W V] at once: precision diag(r, …) + τ Σ zzᵀ, linear term τ Σ (x - μ)zᵀ with z = (h, u)
void Gibbs::draw_loadings(std::size_t i, const Matrix& centred_cross, const Matrix& second) {
  const View& view = views_[i];
  const auto [first, count] = problem_.views[i];
  Matrix precision = view.noise * second;
  precision.diagonal() += view.precision;
  const Matrix root = precision.llt().matrixL();
  for_each_block(workers_, {count, features_a_block}, [&, begin = first](const Block& block) {
    Stream of_block = stream(Step::loadings, begin + block.begin);
    loadings_.middleRows(begin + block.begin, block.size) = normal_rows_from_precision(
        of_block, root, view.noise * centred_cross.middleRows(block.begin, block.size));
  });
}

// η: precision vI + Σ κh̃h̃ᵀ, linear term Σ (κ + C)y h̃.  v ~ Gamma(a + (m + 1)/2, b + ½‖η‖²)
void Gibbs::draw_weights() {
  Stream of_weights = stream(Step::weights, 0);
  const Matrix root = statistics_->labels.precision(v_).llt().matrixL();
  eta_ = normal_from_precision(of_weights, root, statistics_->labels.pull);
  Stream of_precision = stream(Step::weight_precision, 0);
  v_ = gamma(of_precision, options_.weight_precision.shape + static_cast<double>(latent_ + 1) / 2,
             options_.weight_precision.rate + eta_.squaredNorm() / 2);
}

// Without u, the noise of a view is VVᵀ + I/τ.
LinearRule Gibbs::rule() const {
  Matrix A = Matrix::Identity(latent_, latent_), B(problem_.features(), latent_);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const auto [first, count] = problem_.views[i];
    const Matrix W = loadings_.middleRows(first, count).leftCols(latent_);
    const Matrix V = loadings_.middleRows(first, count).rightCols(options_.private_factors);
    B.middleRows(first, count) = weighed_loadings(W, V, views_[i].noise);
    A.noalias() += W.transpose() * B.middleRows(first, count);
  }
  return rule_without_labels(A, B, mu_, eta_);
}

}  // namespace m3lak::bm2smvl_parts
