#include "numeric/sincos_kernel.h"

#ifdef __x86_64__
namespace m3lak::kernels {
namespace {

struct Doubles {
  static constexpr size_t width = 8;
  static void sincos(const double* x, double* sin, double* cos) {
    const auto both = Sleef_finz_sincosd8_u35avx512f(_mm512_loadu_pd(x));
    _mm512_storeu_pd(sin, both.x);
    _mm512_storeu_pd(cos, both.y);
  }
};

struct Floats {
  static constexpr size_t width = 2 * Doubles::width;
  static void sincos(const float* x, float* sin, float* cos) {
    const auto both = Sleef_finz_sincosf16_u35avx512f(_mm512_loadu_ps(x));
    _mm512_storeu_ps(sin, both.x);
    _mm512_storeu_ps(cos, both.y);
  }
};

}  // namespace

void sincos_avx512(const double* x, size_t count, double* sin, double* cos) {
  sincos_array<Doubles>(x, count, sin, cos);
}

void sincos_avx512(const float* x, size_t count, float* sin, float* cos) {
  sincos_array<Floats>(x, count, sin, cos);
}

}  // namespace m3lak::kernels
#endif
