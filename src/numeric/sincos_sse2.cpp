#include "numeric/sincos_kernel.h"

#ifdef __x86_64__
namespace m3lak::kernels {
namespace {

struct Doubles {
  static constexpr size_t width = 2;
  static void sincos(const double* x, double* sin, double* cos) {
    const auto both = Sleef_cinz_sincosd2_u35sse2(_mm_loadu_pd(x));
    _mm_storeu_pd(sin, both.x);
    _mm_storeu_pd(cos, both.y);
  }
};

struct Floats {
  static constexpr size_t width = 2 * Doubles::width;
  static void sincos(const float* x, float* sin, float* cos) {
    const auto both = Sleef_cinz_sincosf4_u35sse2(_mm_loadu_ps(x));
    _mm_storeu_ps(sin, both.x);
    _mm_storeu_ps(cos, both.y);
  }
};

}  // namespace

void sincos_sse2(const double* x, size_t count, double* sin, double* cos) {
  sincos_array<Doubles>(x, count, sin, cos);
}

void sincos_sse2(const float* x, size_t count, float* sin, float* cos) {
  sincos_array<Floats>(x, count, sin, cos);
}

}  // namespace m3lak::kernels
#endif
