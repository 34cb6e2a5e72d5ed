#include "model/component.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "numeric/distributions.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

double Component::log_density(const Eigen::Ref<const Vector>& point) const {
  const Vector whitened = factor.triangularView<Eigen::Lower>().solve(Vector(point - mean));
  return -0.5 * whitened.squaredNorm() - factor.diagonal().array().log().sum() -
         0.5 * static_cast<double>(point.size()) * std::log(2 * std::numbers::pi);
}

Component draw_component(Stream& stream, const NormalInverseWishart& law) {
  Component component;
  const Matrix scale_factor = law.scale.llt().matrixL();
  component.factor = inverse_wishart(stream, law.dof, scale_factor);
  Vector g(law.mean.size());
  fill_normal(stream, {g.data(), static_cast<std::size_t>(g.size())});
  component.mean = law.mean + component.factor * g / std::sqrt(law.strength);
  return component;
}

}  // namespace m3lak
