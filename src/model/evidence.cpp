#include "model/evidence.h"

#include <Eigen/Cholesky>

namespace m3lak {

// Ψ^{-1} = τI - τ² V S Vᵀ (Woodbury).
Evidence evidence(const Matrix& gram, double noise, Index latent, bool integrate_private) {
  const Index K = gram.rows() - latent;
  const auto WW = gram.topLeftCorner(latent, latent);
  Evidence view;
  view.noise = noise;
  view.cross = gram.bottomLeftCorner(K, latent);
  const Eigen::LLT<Matrix> inverse_S(Matrix::Identity(K, K) + noise * gram.bottomRightCorner(K, K));
  view.private_factor = inverse_S.matrixL();
  view.precision = noise * WW;
  view.reading = Matrix::Zero(latent, latent + K);
  view.reading.leftCols(latent).diagonal().setConstant(noise);
  if (integrate_private && K > 0) {
    const Matrix S_cross = inverse_S.solve(view.cross);
    view.precision -= noise * noise * view.cross.transpose() * S_cross;
    view.reading.rightCols(K) = -noise * noise * S_cross.transpose();
  }
  return view;
}

}  // namespace m3lak
