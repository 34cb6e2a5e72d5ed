// The linear support vector machine in the latent space, whose bias is not penalised.
#pragma once

#include "m3lak/model.h"

namespace m3lak::harmonium {

/// score = vᵀμ + b
struct LinearMachine {
  Vector v;
  double b = 0;

  /// `mu`: one row an instance.
  Vector scores(const Matrix& mu) const { return (mu * v).array() + b; }
};

/// Σ_n max(0, 1 - y_n score_n).
double hinge_loss(const Matrix& mu, const Vector& y, const LinearMachine& machine);

/// ½‖v‖² + C Σ_n max(0, 1 - y_n score_n).
double objective(const Matrix& mu, const Vector& y, double C, const LinearMachine& machine);

/// Its minimum, for C > 0. `y`: +1 or -1, both of which occur. Where b is free in an interval, it
/// is inside.
LinearMachine train_linear_machine(const Matrix& mu, const Vector& y, double C);

}  // namespace m3lak::harmonium
