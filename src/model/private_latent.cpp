#include "model/private_latent.h"

#include "numeric/matrix_distributions.h"

namespace m3lak {

void draw_private_latents(const Evidence& view, const Eigen::Ref<const Matrix>& Vx,
                          const Eigen::Ref<const Matrix>& h,
                          const std::function<Stream(Index)>& stream, Eigen::Ref<Matrix> u) {
  if (u.rows() == 0) return;
  const Matrix b = view.noise * (Vx - view.cross * h);
  for (Index n = 0; n < u.cols(); ++n) {
    Stream own = stream(n);
    u.col(n) = normal_from_precision(own, view.private_factor, b.col(n));
  }
}

}  // namespace m3lak
