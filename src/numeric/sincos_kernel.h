// For the files that are compiled for one instruction set each. They must not share any inline
// function or template with the rest of the program: the linker keeps one copy of such a function,
// and if it kept the AVX-512 one, older machines would crash. Hence plain C headers only, and
// internal linkage for all that has a body here.
//
// They call SLEEF's deterministic functions (cinz, and finz where there is fused multiply-add). The
// plain ones choose their method by the largest value of a vector, so that an element's last bits
// would depend on its neighbours.
#pragma once

#include <sleef.h>
#include <stddef.h>
#include <string.h>

namespace m3lak::kernels {

#define M3LAK_DECLARE_SINCOS(name)                                             \
  void sincos_##name(const double* x, size_t count, double* sin, double* cos); \
  void sincos_##name(const float* x, size_t count, float* sin, float* cos)
M3LAK_DECLARE_SINCOS(scalar);
M3LAK_DECLARE_SINCOS(sse2);
M3LAK_DECLARE_SINCOS(avx2);
M3LAK_DECLARE_SINCOS(avx512);
#undef M3LAK_DECLARE_SINCOS

namespace {

// Lanes::sincos does Lanes::width values. The tail goes through it too, padded with zeros, so that
// the last elements get the same bits as they would in a longer array.
template <class Lanes, class Value>
[[maybe_unused]] void sincos_array(const Value* x, size_t count, Value* sin, Value* cos) {
  size_t i = 0;
  for (; i + Lanes::width <= count; i += Lanes::width) Lanes::sincos(x + i, sin + i, cos + i);
  const size_t bytes = (count - i) * sizeof(Value);
  if (bytes == 0) return;
  Value in[Lanes::width] = {}, s[Lanes::width], c[Lanes::width];
  memcpy(in, x + i, bytes);
  Lanes::sincos(in, s, c);
  memcpy(sin + i, s, bytes);
  memcpy(cos + i, c, bytes);
}

}  // namespace
}  // namespace m3lak::kernels
