#include "model/normal_inverse_wishart.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

namespace m3lak {

namespace {

/// log Γ_d(dof/2) - dof/2 log|Ψ| - d/2 log κ, but for terms in d alone.
double log_normaliser(const NormalInverseWishart& law) {
  const Matrix factor = law.scale.llt().matrixL();
  const Index d = law.mean.size();
  double sum = -law.dof * factor.diagonal().array().log().sum() -
               0.5 * static_cast<double>(d) * std::log(law.strength);
  for (Index i = 0; i < d; ++i) sum += std::lgamma(0.5 * (law.dof - static_cast<double>(i)));
  return sum;
}

}  // namespace

// With δ = x̄_b - x̄_a: S = S_a + S_b + (n_a n_b / n) δδᵀ, which takes no difference of large
// numbers.
PointMoments together(const PointMoments& a, const PointMoments& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const double count = a.count + b.count;
  const Vector apart = b.mean - a.mean;
  return {count, a.mean + b.count / count * apart,
          a.scatter + b.scatter + a.count * b.count / count * apart * apart.transpose()};
}

// κ' = κ_0 + s, ν' = ν_0 + s, μ' = (κ_0 μ_0 + s x̄)/κ',
// Ψ' = Ψ_0 + S + (κ_0 s/κ')(x̄ - μ_0)(x̄ - μ_0)ᵀ
NormalInverseWishart posterior(const NormalInverseWishart& base, const PointMoments& points) {
  if (points.count == 0) return base;
  const Vector shift = points.mean - base.mean;
  NormalInverseWishart result = base;
  result.strength += points.count;
  result.dof += points.count;
  result.mean += points.count / result.strength * shift;
  result.scale +=
      points.scatter + base.strength * points.count / result.strength * shift * shift.transpose();
  return result;
}

double log_evidence(const NormalInverseWishart& base, const PointMoments& points) {
  return log_normaliser(posterior(base, points)) - log_normaliser(base) -
         0.5 * points.count * static_cast<double>(base.mean.size()) * std::log(std::numbers::pi);
}

}  // namespace m3lak
