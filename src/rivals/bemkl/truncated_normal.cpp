#include "rivals/bemkl/truncated_normal.h"

#include <cmath>
#include <numbers>

namespace m3lak::bemkl_parts {

namespace {

const double log_root_two_pi = std::log(2 * std::numbers::pi) / 2;

/// Laplace's continued fraction, for x = -z > 0:
///   φ(z)/Φ(z) = x + 1/(x + 2/(x + 3/(x + …))).
/// It gives the mean, what is left of φ/Φ when x is subtracted, without cancellation.
PositiveNormal far_below_zero(double z) {
  constexpr int terms = 40;
  const double x = -z;
  double tail = x;
  for (int k = terms; k > 1; --k) tail = x + k / tail;
  const double mean = 1 / tail;
  return {mean, -z * z / 2 - log_root_two_pi - std::log(x + mean)};
}

}  // namespace

PositiveNormal positive_normal(double z) {
  constexpr double far = -8;  // above, no more than two digits cancel; below, 40 terms are plenty
  if (z < far) return far_below_zero(z);
  const double above = std::erfc(-z / std::numbers::sqrt2) / 2;  // Φ(z)
  const double density = std::exp(-z * z / 2 - log_root_two_pi);
  const double below = std::erfc(z / std::numbers::sqrt2) / 2;  // of large z all that is known
  return {z + density / above, z > 0 ? std::log1p(-below) : std::log(above)};
}

}  // namespace m3lak::bemkl_parts
