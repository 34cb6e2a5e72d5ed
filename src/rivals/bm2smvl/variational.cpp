#include "rivals/bm2smvl/variational.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <utility>

namespace m3lak::bm2smvl_parts {

namespace {

constexpr double start_variance = 0.1;  // of h

double log_det_of(const Eigen::LLT<Matrix>& factor) {
  return 2 * factor.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

void Variational::Sums::operator+=(const Sums& other) {
  statistics += other.statistics;
  spread += other.spread;
  curved_spread += other.curved_spread;
  log_det += other.log_det;
  label += other.label;
}

Variational::Variational(Workers& workers, const Problem& problem, const Bm2smvlOptions& options,
                         double C, DenseMatrix H)
    : workers_(workers),
      problem_(problem),
      options_(options),
      C_(C),
      latent_(H.cols()),
      H_(std::move(H)),
      kappa_(Vector::Zero(problem.instances())),
      W_(Matrix::Zero(problem.features(), latent_)),
      mu_(problem.column_sums / static_cast<double>(problem.instances())),
      views_(problem.views.size()),
      eta_(Vector::Zero(latent_ + 1)),
      eta_root_(Matrix::Identity(latent_ + 1, latent_ + 1)),
      eta_second_(eta_root_),
      A_(Matrix::Identity(latent_, latent_) / start_variance),
      basis_(basis_of(A_, eta_second_.topLeftCorner(latent_, latent_))),
      reduction_({Statistics::zero(problem.features(), latent_, latent_), Vector::Zero(latent_),
                  Vector::Zero(latent_)}) {
  for (View& view : views_) view.relevance = Vector::Ones(latent_);
  // κ = 0: the covariances of h are A⁻¹, whatever the labels are.
  finish(reduction_(
      workers_, problem_.blocks,
      [&](const Block& block, Sums& sums) {
        collect(block, DenseMatrix::Ones(block.size, latent_), sums);
      },
      [](Sums& into, const Sums& from) { into += from; }));
}

void Variational::sweep() {
  workers_.run(std::ssize(views_), [&](Index i) { update_view(static_cast<std::size_t>(i)); });
  update_weights();
  update_latents();
}

double Variational::relevance_shape(std::size_t i) const {
  return options_.relevance.shape + static_cast<double>(problem_.views[i].count) / 2;
}

double Variational::noise_shape(std::size_t i) const {
  return options_.noise.shape +
         static_cast<double>(problem_.instances() * problem_.views[i].count) / 2;
}

double Variational::weight_shape() const {
  return options_.weight_precision.shape + static_cast<double>(latent_ + 1) / 2;
}

/// Σ (x - E[μ]) E[h]ᵀ
Matrix Variational::centred_cross(const Columns& columns) const {
  return statistics_.cross.middleRows(columns.first, columns.count) -
         mu_.segment(columns.first, columns.count) * statistics_.sum.transpose();
}

// E ‖X - μ - HWᵀ‖²
double Variational::residual(std::size_t i) const {
  const auto [first, count] = problem_.views[i];
  return squared_residual(problem_, i, mu_.segment(first, count), centred_cross({first, count}),
                          statistics_.second, W_.middleRows(first, count), views_[i].second) +
         static_cast<double>(problem_.instances() * count) * views_[i].mean_variance;
}

void Variational::update_view(std::size_t i) {
  View& view = views_[i];
  const auto [first, count] = problem_.views[i];
  const auto N = static_cast<double>(problem_.instances()), D = static_cast<double>(count);
  auto W = W_.middleRows(first, count);
  auto mu = mu_.segment(first, count);

  // W: S = (diag E[r] + E[τ] Σ E[hhᵀ])⁻¹, mean E[τ] Σ (x - E[μ]) E[h]ᵀ S
  Matrix precision = view.noise * statistics_.second;
  precision.diagonal() += view.relevance;
  const Eigen::LLT<Matrix> factor(precision);
  const Matrix S = factor.solve(Matrix::Identity(latent_, latent_));
  view.log_det = -log_det_of(factor);
  W.noalias() = view.noise * centred_cross({first, count}) * S;
  view.second = W.transpose() * W + D * S;

  // μ: variance 1/(β + N E[τ]), mean E[τ] · variance · Σ (x - E[W]E[h])
  view.mean_variance = 1 / (options_.mean_precision + N * view.noise);
  mu = view.noise * view.mean_variance *
       (problem_.column_sums.segment(first, count) - W * statistics_.sum);

  // r: rate b + ½ E‖w_j‖². τ: rate b + ½ E‖X - μ - HWᵀ‖²
  view.relevance =
      relevance_shape(i) / (options_.relevance.rate + view.second.diagonal().array() / 2);
  view.noise = noise_shape(i) / (options_.noise.rate + residual(i) / 2);
}

// η: S = (E[v] I + Σ κ E[h̃h̃ᵀ])⁻¹, mean S Σ (κ + C) y E[h̃].  v: rate b + ½ E‖η‖²
void Variational::update_weights() {
  const Eigen::LLT<Matrix> factor(statistics_.labels.precision(v_));
  const Matrix S = factor.solve(Matrix::Identity(latent_ + 1, latent_ + 1));
  eta_root_ = S.llt().matrixL();
  eta_ = factor.solve(statistics_.labels.pull);
  eta_second_ = eta_ * eta_.transpose() + S;
  v_ = weight_shape() / (options_.weight_precision.rate + eta_second_.trace() / 2);
}

// With A = MMᵀ and M⁻¹ E[wwᵀ] M⁻ᵀ = E diag(d) Eᵀ, T = M⁻ᵀE.
Variational::Basis Variational::basis_of(const Matrix& A, const Matrix& ww) {
  const Eigen::LLT<Matrix> factor(A);
  const Matrix half = factor.matrixL().solve(ww);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(
      Matrix(factor.matrixL().solve(half.transpose())));
  return {factor.matrixU().solve(solver.eigenvectors()), solver.eigenvalues().cwiseMax(0),
          log_det_of(factor)};
}

// h_n: P_n = A + κ_n E[wwᵀ],
//      p_n = Σ_i E[τ] E[W]ᵀ(x - E[μ]) + (κ_n + C) y_n E[w] - κ_n E[bw].  Here as Tᵀp_n.
void Variational::update_latents() {
  A_.setIdentity();
  Matrix right = W_;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    A_ += views_[i].noise * views_[i].second;
    right.middleRows(problem_.views[i].first, problem_.views[i].count) *= views_[i].noise;
  }
  basis_ = basis_of(A_, eta_second_.topLeftCorner(latent_, latent_));
  right *= basis_.T;
  const Vector offset = right.transpose() * mu_;
  const RowMatrix<double> whole_lanes = padded<double>(right);
  finish(reduction_(
      workers_, problem_.blocks,
      [&](const Block& block, Sums& sums) { update_block(block, whole_lanes, offset, sums); },
      [](Sums& into, const Sums& from) { into += from; }));
}

void Variational::update_block(const Block& block, const RowMatrix<double>& right,
                               const Vector& offset, Sums& sums) {
  const auto y = problem_.y.segment(block.begin, block.size).array();
  const auto kappa = kappa_.segment(block.begin, block.size);
  const Vector w = basis_.T.transpose() * eta_.head(latent_);
  const Vector bw = basis_.T.transpose() * eta_second_.col(latent_).head(latent_);

  RowMatrix<double> p = RowMatrix<double>::Zero(block.size, right.cols());
  add_product<double>(problem_.X.middleRows(block.begin, block.size), right, p);
  DenseMatrix z = p.leftCols(latent_).rowwise() - offset.transpose();
  z.noalias() += ((kappa.array() + C_) * y).matrix() * w.transpose();
  z.noalias() -= kappa * bw.transpose();

  const DenseMatrix shrink = ((kappa * basis_.d.transpose()).array() + 1).inverse();
  sums.log_det += shrink.array().log().sum();
  H_.middleRows(block.begin, block.size).noalias() = z.cwiseProduct(shrink) * basis_.T.transpose();
  collect(block, shrink, sums);
}

// λ, and the sums; `shrink`: 1/(1 + κ_n d), as h_n was updated with it.
// E[(1 - ys)²] = (1 - y E[s])² + var(s), var(s) = E[h̃]ᵀS E[h̃] + tr E[wwᵀ]P_n⁻¹
void Variational::collect(const Block& block, const DenseMatrix& shrink, Sums& sums) {
  const auto H = H_.middleRows(block.begin, block.size);
  const auto y = problem_.y.segment(block.begin, block.size);
  auto kappa = kappa_.segment(block.begin, block.size);
  const Vector gap = 1 - y.array() * ((H * eta_.head(latent_)).array() + eta_[latent_]);
  DenseMatrix turned = H * eta_root_.topRows(latent_);
  turned.rowwise() += eta_root_.row(latent_);
  const Vector squared_gap = gap.cwiseAbs2() + turned.rowwise().squaredNorm() + shrink * basis_.d;
  for (Index n = 0; n < block.size; ++n) kappa[n] = expected_curvature(C_, squared_gap[n]);

  sums.label -= C_ * (squared_gap.cwiseSqrt() + gap).sum();
  sums.spread += shrink.colwise().sum();
  sums.curved_spread.noalias() += shrink.transpose() * kappa;
  sums.statistics.add_factors(problem_.X.middleRows(block.begin, block.size), H);
  sums.statistics.labels.add(H, y, kappa, C_);
}

/// Adds the covariances of all h to the sums of their means' products.
void Variational::finish(const Sums& sums) {
  const Matrix& T = basis_.T;
  statistics_ = sums.statistics;
  statistics_.second.noalias() += T * sums.spread.asDiagonal() * T.transpose();
  statistics_.labels.curvature.topLeftCorner(latent_, latent_).noalias() +=
      T * sums.curved_spread.asDiagonal() * T.transpose();
  label_bound_ = sums.label;
  latent_log_det_ = sums.log_det - static_cast<double>(problem_.instances()) * basis_.log_det_A;
}

LinearRule Variational::rule() const {
  Matrix B = W_;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    B.middleRows(problem_.views[i].first, problem_.views[i].count) *= views_[i].noise;
  }
  return rule_without_labels(A_, B, mu_, eta_);
}

}  // namespace m3lak::bm2smvl_parts
