#include "rivals/bm2smvl/statistics.h"

#include <algorithm>

namespace m3lak::bm2smvl_parts {

LabelSums LabelSums::zero(Index latent) {
  return {Matrix::Zero(latent + 1, latent + 1), Vector::Zero(latent + 1)};
}

void LabelSums::add(const Rows<double>& H, const Eigen::Ref<const Vector>& y,
                    const Eigen::Ref<const Vector>& kappa, double C) {
  const Index m = H.cols();
  const DenseMatrix weighed = kappa.asDiagonal() * H;
  curvature.topLeftCorner(m, m).noalias() += H.transpose() * weighed;
  curvature.col(m).head(m) += weighed.colwise().sum();
  curvature.row(m) = curvature.col(m).transpose();
  curvature(m, m) += kappa.sum();
  const Vector pulls = (kappa.array() + C) * y.array();
  pull.head(m).noalias() += H.transpose() * pulls;
  pull[m] += pulls.sum();
}

void LabelSums::operator+=(const LabelSums& other) {
  curvature += other.curvature;
  pull += other.pull;
}

Matrix LabelSums::precision(double v) const {
  Matrix P = curvature;
  P.diagonal().array() += v;
  return P;
}

Statistics Statistics::zero(Index features, Index factors, Index latent) {
  return {Matrix::Zero(features, factors), Matrix::Zero(factors, factors), Vector::Zero(factors),
          LabelSums::zero(latent)};
}

void Statistics::add_factors(const Rows<double>& X, const Rows<double>& Z) {
  add_outer<double>(X, Z, false, cross);
  second.noalias() += Z.transpose() * Z;
  sum += Z.colwise().sum();
}

void Statistics::operator+=(const Statistics& other) {
  cross += other.cross;
  second += other.second;
  sum += other.sum;
  labels += other.labels;
}

// ‖X - μ‖² - 2 tr Lᵀ(Σ (x - μ)zᵀ) + tr LᵀL Σ zzᵀ. What rounding leaves may be negative.
double squared_residual(const Problem& problem, std::size_t view, const Vector& mu,
                        const Matrix& centred_cross, const Matrix& second, const Matrix& loadings,
                        const Matrix& loadings_second) {
  const auto [first, count] = problem.views[view];
  const double centred = problem.squared_norms[static_cast<Index>(view)] -
                         2 * mu.dot(problem.column_sums.segment(first, count)) +
                         static_cast<double>(problem.instances()) * mu.squaredNorm();
  return std::max(0.0, centred - 2 * loadings.cwiseProduct(centred_cross).sum() +
                           loadings_second.cwiseProduct(second).sum());
}

}  // namespace m3lak::bm2smvl_parts
