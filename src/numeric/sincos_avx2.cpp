#include "numeric/sincos_kernel.h"

#ifdef __x86_64__
namespace m3lak::kernels {
namespace {

struct Doubles {
  static constexpr size_t width = 4;
  static void sincos(const double* x, double* sin, double* cos) {
    const auto both = Sleef_finz_sincosd4_u35avx2(_mm256_loadu_pd(x));
    _mm256_storeu_pd(sin, both.x);
    _mm256_storeu_pd(cos, both.y);
  }
};

struct Floats {
  static constexpr size_t width = 2 * Doubles::width;
  static void sincos(const float* x, float* sin, float* cos) {
    const auto both = Sleef_finz_sincosf8_u35avx2(_mm256_loadu_ps(x));
    _mm256_storeu_ps(sin, both.x);
    _mm256_storeu_ps(cos, both.y);
  }
};

}  // namespace

void sincos_avx2(const double* x, size_t count, double* sin, double* cos) {
  sincos_array<Doubles>(x, count, sin, cos);
}

void sincos_avx2(const float* x, size_t count, float* sin, float* cos) {
  sincos_array<Floats>(x, count, sin, cos);
}

}  // namespace m3lak::kernels
#endif
