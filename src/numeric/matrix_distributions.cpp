#include "numeric/matrix_distributions.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "numeric/distributions.h"

namespace m3lak {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Ref;
using Eigen::VectorXd;

namespace {

// The root of a χ²(dof) draw.
double chi(Stream& stream, double dof) {
  const double root = std::exp((std::log(2.0) + log_gamma_draw(stream, dof / 2)) / 2);
  return std::max(root, wishart_floor);
}

void check_dof(double dof, Index p) {
  if (!(dof > static_cast<double>(p - 1))) {
    throw std::invalid_argument("Wishart: degrees of freedom must exceed the dimension minus 1");
  }
}

}  // namespace

// With z ~ N(0, I): L⁻ᵀ(L⁻¹b + z) has mean P⁻¹b and covariance L⁻ᵀL⁻¹ = P⁻¹.
VectorXd normal_from_precision(Stream& stream, const Ref<const MatrixXd>& L, VectorXd b) {
  L.triangularView<Eigen::Lower>().solveInPlace(b);
  for (double& x : b) x += normal(stream);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(b);
  return b;
}

// The transpose of the above: (BL⁻ᵀ + Z)L⁻¹.
MatrixXd normal_rows_from_precision(Stream& stream, const Ref<const MatrixXd>& L, MatrixXd B) {
  const auto lower = L.triangularView<Eigen::Lower>();
  lower.transpose().solveInPlace<Eigen::OnTheRight>(B);
  for (auto row : B.rowwise()) {
    for (double& x : row) x += normal(stream);
  }
  lower.solveInPlace<Eigen::OnTheRight>(B);
  return B;
}

VectorXd log_dirichlet(Stream& stream, const Ref<const VectorXd>& shapes) {
  VectorXd logs = shapes;
  for (double& x : logs) x = log_gamma_draw(stream, x);
  // log Σ exp in two steps: added up, it would be rounded by the size of the largest.
  logs.array() -= logs.maxCoeff();
  logs.array() -= std::log(logs.array().exp().sum());
  return logs;
}

VectorXd dirichlet(Stream& stream, const Ref<const VectorXd>& shapes) {
  return log_dirichlet(stream, shapes).array().exp();
}

// Bartlett: CA with A lower, Aᵢᵢ² ~ χ²(dof - i) for i = 0 … p - 1, N(0,1) below the diagonal.
MatrixXd wishart(Stream& stream, double dof, const Ref<const MatrixXd>& C) {
  const Index p = C.rows();
  check_dof(dof, p);
  MatrixXd A = MatrixXd::Zero(p, p);
  for (Index i = 0; i < p; ++i) {
    for (Index j = 0; j < i; ++j) A(i, j) = normal(stream);
    A(i, i) = chi(stream, dof - static_cast<double>(i));
  }
  return C.triangularView<Eigen::Lower>() * A;
}

// Σ⁻¹ ~ Wishart(dof, C⁻ᵀC⁻¹) is C⁻ᵀUUᵀC⁻¹, where U may as well be Bartlett's factor with rows and
// columns in reverse: upper triangular, Uᵢᵢ² ~ χ²(dof - (p - 1 - i)). Then CU⁻ᵀ is lower triangular
// and Σ = (CU⁻ᵀ)(CU⁻ᵀ)ᵀ: nothing is inverted or factorised.
MatrixXd inverse_wishart(Stream& stream, double dof, const Ref<const MatrixXd>& C) {
  const Index p = C.rows();
  check_dof(dof, p);
  MatrixXd U = MatrixXd::Zero(p, p);
  for (Index i = 0; i < p; ++i) {
    U(i, i) = chi(stream, dof - static_cast<double>(p - 1 - i));
    for (Index j = i + 1; j < p; ++j) U(i, j) = normal(stream);
  }
  MatrixXd B = C.triangularView<Eigen::Lower>();
  U.triangularView<Eigen::Upper>().transpose().solveInPlace<Eigen::OnTheRight>(B);
  return B;
}

}  // namespace m3lak
