#include "model/private_latent.h"

#include "numeric/distributions.h"

namespace m3lak {

void draw_private_latents(const Evidence& view, const Eigen::Ref<const Matrix>& Vx,
                          const Eigen::Ref<const Matrix>& h, const Streams& stream, Matrix& normals,
                          Eigen::Ref<Matrix> u) {
  if (u.rows() == 0) return;
  // S = L^{-T}L^{-1}: u = L^{-T}(L^{-1}b + g), g ~ N(0, I)
  normals.resize(u.rows(), u.cols());
  for (Index n = 0; n < u.cols(); ++n) {
    Stream own = stream(n);
    for (Index k = 0; k < u.rows(); ++k) normals(k, n) = own.uniform();
  }
  normals_of_uniforms({normals.data(), static_cast<std::size_t>(normals.size())});
  u = Vx;
  u.noalias() -= view.cross * h;
  u *= view.noise;
  view.private_factor.triangularView<Eigen::Lower>().solveInPlace(u);
  u += normals;
  view.private_factor.transpose().triangularView<Eigen::Upper>().solveInPlace(u);
}

}  // namespace m3lak
