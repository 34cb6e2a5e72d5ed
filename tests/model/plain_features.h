// Random Fourier features in the plainest way, to compare with.
#pragma once

#include <cmath>

#include "m3lak/model.h"

namespace m3lak {

/// φ~ = (φ, 1): one column an instance.
inline Matrix plain_features(const Matrix& omega, const Matrix& h) {
  const Index M = omega.cols();
  const Matrix angles = omega.transpose() * h;
  Matrix phi(2 * M + 1, h.cols());
  phi << angles.array().cos() / std::sqrt(static_cast<double>(M)),
      angles.array().sin() / std::sqrt(static_cast<double>(M)), Matrix::Ones(1, h.cols()).array();
  return phi;
}

/// f: one row a class, one column an instance.
inline Matrix plain_scores(const Matrix& omega, const Matrix& beta, const Matrix& h) {
  return beta.transpose() * plain_features(omega, h);
}

/// Σ max(0, 1 - y f) over classes and instances that have a label.
inline double plain_loss(const Matrix& y, const Matrix& f) {
  return (y.array() != 0).select((1 - y.array() * f.array()).max(0), 0).sum();
}

}  // namespace m3lak
