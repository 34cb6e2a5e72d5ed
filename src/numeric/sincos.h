// Sine and cosine of whole arrays, the costliest elementary functions of the model: φ(h) needs both
// of ω·h for each frequency and instance.
#pragma once

#include <cstddef>
#include <span>

namespace m3lak {

/// sin[i] and cos[i] of each x[i], within 4 units in the last place. What an element gives depends
/// on nothing but its value: not on its place, the length or the neighbours. `sin` or `cos` may be
/// x.data() itself; otherwise the arrays must not overlap.
void sincos(std::span<const double> x, double* sin, double* cos);
void sincos(std::span<const float> x, float* sin, float* cos);

/// The same work compiled for one instruction set.
struct SincosKernel {
  const char* name;
  void (*of_double)(const double* x, std::size_t count, double* sin, double* cos);
  void (*of_float)(const float* x, std::size_t count, float* sin, float* cos);
};

/// The kernels that this machine can run, slowest first: `sincos` takes the last. They differ in
/// the last bits, except that all with fused multiply-add (avx2, avx512) agree. For tests and
/// benches.
std::span<const SincosKernel> sincos_kernels();

}  // namespace m3lak
