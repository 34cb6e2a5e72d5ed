#include "numeric/sincos.h"

#include <vector>

#include "numeric/sincos_kernel.h"

namespace m3lak {
namespace kernels {

void sincos_scalar(const double* x, std::size_t count, double* sin, double* cos) {
  for (std::size_t i = 0; i < count; ++i) {
    const Sleef_double2 both = Sleef_sincos_u35(x[i]);
    sin[i] = both.x;
    cos[i] = both.y;
  }
}

void sincos_scalar(const float* x, std::size_t count, float* sin, float* cos) {
  for (std::size_t i = 0; i < count; ++i) {
    const Sleef_float2 both = Sleef_sincosf_u35(x[i]);
    sin[i] = both.x;
    cos[i] = both.y;
  }
}

}  // namespace kernels

std::span<const SincosKernel> sincos_kernels() {
  static const std::vector<SincosKernel> usable = [] {
    using namespace kernels;
    std::vector<SincosKernel> list = {{"scalar", sincos_scalar, sincos_scalar}};
#ifdef __x86_64__
    list.push_back({"sse2", sincos_sse2, sincos_sse2});
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      list.push_back({"avx2", sincos_avx2, sincos_avx2});
    }
    if (__builtin_cpu_supports("avx512f")) {
      list.push_back({"avx512", sincos_avx512, sincos_avx512});
    }
#endif
    return list;
  }();
  return usable;
}

void sincos(std::span<const double> x, double* sin, double* cos) {
  sincos_kernels().back().of_double(x.data(), x.size(), sin, cos);
}

void sincos(std::span<const float> x, float* sin, float* cos) {
  sincos_kernels().back().of_float(x.data(), x.size(), sin, cos);
}

}  // namespace m3lak
