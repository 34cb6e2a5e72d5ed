// Draws of numbers. They are our own so that a seed gives the same chain with every standard
// library: the standard fixes its generators but not its distributions.
#pragma once

#include <cstddef>
#include <span>

#include "numeric/random.h"

namespace m3lak {

/// The x with P(N(0,1) < x) = p, for 0 < p < 1, to about 16 digits: Wichura (1988), AS 241 PPND16.
double normal_quantile(double p);

/// N(0, 1), by inversion: one uniform makes one normal, so the place of each number in a stream is
/// known beforehand, nothing is kept between calls, and 0 never occurs.
inline double normal(Stream& stream) { return normal_quantile(stream.uniform()); }

/// Fills `out` with independent N(0, 1).
void fill_normal(Stream& stream, std::span<double> out);

/// Makes normals of uniforms, in place: what `normal_quantile` gives, many at once.
void normals_of_uniforms(std::span<double> x);

/// The logarithm of a Gamma(shape, rate 1) draw. It stays finite where the draw itself underflows:
/// at shape 1e-3 every second one does. Throws std::invalid_argument unless 0 < shape < ∞.
double log_gamma_draw(Stream& stream, double shape);

/// Gamma(shape, rate), of mean shape / rate.
double gamma(Stream& stream, double shape, double rate);

/// Beta(a, b), of mean a / (a + b). Tiny shapes give draws that round to 0 or 1; where that hurts,
/// use log_dirichlet of (a, b).
double beta(Stream& stream, double a, double b);

/// InverseGaussian of mean 1 / inverse_mean and of that shape. An inverse mean of 0 is the limit:
/// the Lévy law of shape / N(0,1)².
double inverse_gaussian(Stream& stream, double inverse_mean, double shape);

/// An index i with probability exp(log_weights[i]) / Σ exp(log_weights). The scale does not matter
/// and -∞ is a weight of nothing. Throws std::invalid_argument if there is nothing to choose from
/// or a weight is NaN or +∞.
std::size_t categorical(Stream& stream, std::span<const double> log_weights);

}  // namespace m3lak
