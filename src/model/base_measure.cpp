#include "model/base_measure.h"

namespace m3lak {

namespace {

/// E[Σ] ∝ Σ_i W_iᵀW_i, with trace 1, mixed with a twentieth of I/m.
Matrix reconstruction_shape(const std::vector<ViewState>& views, Index latent) {
  Matrix shape = Matrix::Zero(latent, latent);
  for (const ViewState& view : views) shape += view.gram.topLeftCorner(latent, latent);
  const Matrix even = Matrix::Identity(latent, latent) / static_cast<double>(latent);
  const double trace = shape.trace();
  if (!(trace > 0)) return even;
  return 0.95 * shape / trace + 0.05 * even;
}

}  // namespace

NormalInverseWishart base_measure(const Options& options, const std::vector<ViewState>& views) {
  const Index m = options.latent;
  NormalInverseWishart base;
  base.mean = Vector::Constant(m, options.base_mean);
  base.strength = options.base_strength;
  base.dof = options.base_degrees();
  base.scale = options.base_scale * Matrix::Identity(m, m);
  if (options.base == Base::reconstruction) {
    base.scale = (base.dof - static_cast<double>(m) - 1) * options.base_scale *
                 reconstruction_shape(views, m);
  }
  return base;
}

Matrix starting_covariance(const Options& options, const NormalInverseWishart& base) {
  const auto m = static_cast<double>(options.latent);
  if (options.base == Base::reconstruction) return base.scale / (base.dof - m - 1);
  return Matrix::Identity(options.latent, options.latent) / (2 * m);
}

}  // namespace m3lak
