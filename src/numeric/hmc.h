// Hamiltonian dynamics with unit mass, for positions and momenta of any Eigen shape. What moves in
// columns of their own (instances) moves at once.
#pragma once

#include <cmath>

namespace m3lak {

/// The potential at both ends of a trajectory.
template <class Energy>
struct Ends {
  Energy first, last;
};

/// Memory for a trajectory, of the shape of the positions.
template <class Points>
struct TrajectoryMemory {
  Points gradient, turned;
};

/// The potential ½‖q‖² + V(q): the Gaussian part is rotated exactly and V kicks, so that without V
/// nothing is ever rejected. `pull(q, gradient)` sets V's gradient and returns V.
template <class Points, class Pull>
auto rotate_and_kick(Points& q, Points& p, double step, int steps, TrajectoryMemory<Points>& memory,
                     const Pull& pull) {
  using Value = typename Points::Scalar;
  const auto cosine = static_cast<Value>(std::cos(step)), sine = static_cast<Value>(std::sin(step));
  const auto half = static_cast<Value>(0.5 * step);
  auto& [gradient, turned] = memory;
  gradient.resizeLike(q);
  const auto energy = pull(q, gradient);
  Ends<decltype(pull(q, gradient))> ends{energy, energy};
  for (int s = 0; s < steps; ++s) {
    p -= half * gradient;
    turned = cosine * q + sine * p;
    p = cosine * p - sine * q;
    q.swap(turned);
    ends.last = pull(q, gradient);
    p -= half * gradient;
  }
  return ends;
}

/// The potential U(q). `pull(q, gradient)` sets its gradient and returns it.
template <class Points, class Pull>
auto leapfrog(Points& q, Points& p, double step, int steps, TrajectoryMemory<Points>& memory,
              const Pull& pull) {
  using Value = typename Points::Scalar;
  const auto whole = static_cast<Value>(step), half = static_cast<Value>(0.5 * step);
  Points& gradient = memory.gradient;
  gradient.resizeLike(q);
  const auto energy = pull(q, gradient);
  Ends<decltype(pull(q, gradient))> ends{energy, energy};
  for (int s = 0; s < steps; ++s) {
    p -= half * gradient;
    q += whole * p;
    ends.last = pull(q, gradient);
    p -= half * gradient;
  }
  return ends;
}

/// With which probability a move is accepted that changes the energy by `rise`. Not a number: the
/// trajectory has run away.
inline double acceptance(double rise) {
  if (std::isnan(rise)) return 0;
  return rise <= 0 ? 1 : std::exp(-rise);
}

}  // namespace m3lak
