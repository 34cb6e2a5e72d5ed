#include "numeric/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "numeric/lanes.h"

namespace m3lak {
namespace {

using Coefficients = double[8];  // of a polynomial, from the constant upwards

/// Of a number, or of lanes.
template <class Number>
Number ratio(const Coefficients& above, const Coefficients& below, Number x) {
  Number a = above[7] + Number{}, b = below[7] + Number{};
  for (int i = 6; i >= 0; --i) {
    a = a * x + above[i];
    b = b * x + below[i];
  }
  return a / b;
}

// AS 241: rational approximations near the middle, in the tails, and far out.
constexpr Coefficients middle_above = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                       1.9715909503065514427e3, 1.3731693765509461125e4,
                                       4.5921953931549871457e4, 6.7265770927008700853e4,
                                       3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients middle_below = {1.0,
                                       4.2313330701600911252e1,
                                       6.8718700749205790830e2,
                                       5.3941960214247511077e3,
                                       2.1213794301586595867e4,
                                       3.9307895800092710610e4,
                                       2.8729085735721942674e4,
                                       5.2264952788528545610e3};
constexpr Coefficients tail_above = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                     5.76949722146069140550e0,  3.64784832476320460504e0,
                                     1.27045825245236838258e0,  2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients tail_below = {1.0,
                                     2.05319162663775882187e0,
                                     1.67638483018380384940e0,
                                     6.89767334985100004550e-1,
                                     1.48103976427480074590e-1,
                                     1.51986665636164571966e-2,
                                     5.47593808499534494600e-4,
                                     1.05075007164441684324e-9};
constexpr Coefficients far_above = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                    1.78482653991729133580e0,  2.96560571828504891230e-1,
                                    2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                    2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients far_below = {1.0,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};

constexpr double middle = 0.425;  // up to which |p - ½| the first one holds

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= middle) return q * ratio(middle_above, middle_below, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(std::min(p, 1 - p)));
  const double x =
      r <= 5 ? ratio(tail_above, tail_below, r - 1.6) : ratio(far_above, far_below, r - 5);
  return std::copysign(x, q);
}

void fill_normal(Stream& stream, std::span<double> out) {
  for (double& x : out) x = stream.uniform();
  normals_of_uniforms(out);
}

// 85 of 100 are in the middle; the others are done one by one.
void normals_of_uniforms(std::span<double> x) {
  constexpr std::size_t width = lanes<double>;
  std::size_t i = 0;
  for (; i + width <= x.size(); i += width) {
    const Lanes<double> p = load(&x[i]), q = p - 0.5;
    store(&x[i], q * ratio(middle_above, middle_below, 0.180625 - q * q));
    for (std::size_t k = 0; k < width; ++k) {
      if (!(std::abs(p[k] - 0.5) <= middle)) x[i + k] = normal_quantile(p[k]);
    }
  }
  for (; i < x.size(); ++i) x[i] = normal_quantile(x[i]);
}

// Marsaglia and Tsang (2000): d (1 + t)³ with t = g / sqrt(9d), d = shape - 1/3, g ~ N(0,1),
// accepted by comparing log densities. Below shape 1 by Gamma(shape) = Gamma(shape + 1)
// U^(1/shape).
double log_gamma_draw(Stream& stream, double shape) {
  if (!(shape > 0 && shape < std::numeric_limits<double>::infinity())) {
    throw std::invalid_argument("log_gamma_draw: the shape must be positive and finite");
  }
  if (shape < 1) {
    const double boost = std::log(stream.uniform()) / shape;
    return log_gamma_draw(stream, shape + 1) + boost;
  }
  const double d = shape - 1.0 / 3;
  while (true) {
    const double g = normal(stream), u = stream.uniform();
    const double t = g / std::sqrt(9 * d);
    if (t <= -1) continue;
    const double log_cube = 3 * std::log1p(t);
    const double cube_minus_1 = t * (3 + t * (3 + t));
    if (std::log(u) < g * g / 2 + d * (log_cube - cube_minus_1)) return std::log(d) + log_cube;
  }
}

double gamma(Stream& stream, double shape, double rate) {
  return std::exp(log_gamma_draw(stream, shape)) / rate;
}

double beta(Stream& stream, double a, double b) {
  const double log_x = log_gamma_draw(stream, a), log_y = log_gamma_draw(stream, b);
  return 1 / (1 + std::exp(log_y - log_x));
}

// The two roots of Michael, Schucany and Haas (1976) multiply to the mean squared. The small one is
// written without a difference, so it keeps its digits when the mean is huge, and in terms of the
// inverse mean q, so that q = 0 is no special case.
double inverse_gaussian(Stream& stream, double inverse_mean, double shape) {
  const double q = inverse_mean, g = normal(stream), u = stream.uniform();
  const double c = g * g / (2 * shape);
  const double x = 1 / (q + c + std::sqrt(c * (c + 2 * q)));
  return u * (1 + q * x) < q * x ? 1 / (q * x) / q : x;
}

std::size_t categorical(Stream& stream, std::span<const double> log_weights) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double w : log_weights) largest = std::max(largest, w);
  double total = 0;
  for (const double w : log_weights) total += std::exp(w - largest);
  // ∞ - ∞ is NaN, so this one comparison finds every misuse.
  if (!(total > 0)) {
    throw std::invalid_argument("categorical: no weight is positive, or one is NaN or infinite");
  }
  double left = stream.uniform() * total;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    const double weight = std::exp(log_weights[i] - largest);
    if (weight == 0) continue;
    chosen = i;  // stays if rounding leaves a crumb after the last one
    left -= weight;
    if (left < 0) break;
  }
  return chosen;
}

}  // namespace m3lak
