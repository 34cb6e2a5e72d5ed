// The hinge and its augmented form, as a potential.
#pragma once

#include "m3lak/model.h"

namespace m3lak {

/// With ζ = 1 - y f: 2C max(0, ζ) if λ is integrated out, else (λ + Cζ)²/(2λ).
struct Hinge {
  double C = 1;
  bool integrated = true;

  double energy(double y, double f, double inverse_lambda) const {
    const double zeta = 1 - y * f;
    if (integrated) return 2 * C * std::max(0.0, zeta);
    // Without λ/2, which no move changes.
    return C * zeta + 0.5 * C * C * zeta * zeta * inverse_lambda;
  }

  /// By f.
  double slope(double y, double f, double inverse_lambda) const {
    const double zeta = 1 - y * f;
    if (integrated) return zeta > 0 ? -2 * C * y : 0;
    return -C * y * (1 + C * zeta * inverse_lambda);
  }
};

/// Energies of a block, summed over classes, and the slopes; instances without a label have none.
/// One row a class, one column an instance.
inline Eigen::RowVectorXd hinge_energy(const Hinge& hinge, const Eigen::Ref<const Matrix>& y,
                                       const Matrix& f,
                                       const Eigen::Ref<const Matrix>& inverse_lambda,
                                       Matrix& slope) {
  Eigen::RowVectorXd energy = Eigen::RowVectorXd::Zero(f.cols());
  slope.setZero(f.rows(), f.cols());
  for (Index n = 0; n < f.cols(); ++n) {
    for (Index c = 0; c < f.rows(); ++c) {
      if (y(c, n) == 0) continue;
      energy[n] += hinge.energy(y(c, n), f(c, n), inverse_lambda(c, n));
      slope(c, n) = hinge.slope(y(c, n), f(c, n), inverse_lambda(c, n));
    }
  }
  return energy;
}

/// Σ max(0, ζ): what the labels cost, without C.
inline double hinge_loss(const Eigen::Ref<const Matrix>& y, const Matrix& f) {
  double loss = 0;
  for (Index n = 0; n < f.cols(); ++n) {
    for (Index c = 0; c < f.rows(); ++c) {
      if (y(c, n) != 0) loss += std::max(0.0, 1 - y(c, n) * f(c, n));
    }
  }
  return loss;
}

}  // namespace m3lak
