// The kernel that dominates: one gradient of the hinge by h, of many instances at m = 20 and
// M = 100. Its limit is the time of its two matrix products alone and of its sines and cosines
// alone, by the best library there is (Eigen, SLEEF), in the same run on one thread.
#include <fmt/format.h>
#include <sleef.h>

#include <cmath>

#include "model/latent.h"
#include "numeric/sincos.h"
#include "nus_wide.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace {

using namespace m3lak;
using bench::best_of;

constexpr Index m = 20, M = 100, count = 256;
constexpr int repeats = 30;

void sleef(const double* x, Index size, double* sin, double* cos) {
#if defined(__AVX512F__)
  for (Index i = 0; i < size; i += 8) {
    const auto both = Sleef_sincosd8_u35avx512f(_mm512_loadu_pd(x + i));
    _mm512_storeu_pd(sin + i, both.x);
    _mm512_storeu_pd(cos + i, both.y);
  }
#elif defined(__AVX2__)
  for (Index i = 0; i < size; i += 4) {
    const auto both = Sleef_sincosd4_u35avx2(_mm256_loadu_pd(x + i));
    _mm256_storeu_pd(sin + i, both.x);
    _mm256_storeu_pd(cos + i, both.y);
  }
#else
  for (Index i = 0; i < size; ++i) {
    const auto both = Sleef_sincos_u35(x[i]);
    sin[i] = both.x;
    cos[i] = both.y;
  }
#endif
}

void sleef(const float* x, Index size, float* sin, float* cos) {
#if defined(__AVX512F__)
  for (Index i = 0; i < size; i += 16) {
    const auto both = Sleef_sincosf16_u35avx512f(_mm512_loadu_ps(x + i));
    _mm512_storeu_ps(sin + i, both.x);
    _mm512_storeu_ps(cos + i, both.y);
  }
#elif defined(__AVX2__)
  for (Index i = 0; i < size; i += 8) {
    const auto both = Sleef_sincosf8_u35avx2(_mm256_loadu_ps(x + i));
    _mm256_storeu_ps(sin + i, both.x);
    _mm256_storeu_ps(cos + i, both.y);
  }
#else
  for (Index i = 0; i < size; ++i) {
    const auto both = Sleef_sincosf_u35(x[i]);
    sin[i] = both.x;
    cos[i] = both.y;
  }
#endif
}

template <class Value>
void run(const char* name) {
  using Any = Eigen::MatrixX<Value>;
  const Matrix omega = 0.3 * Matrix::Random(m, M), beta = Matrix::Random(2 * M + 1, 1);
  Matrix h = Matrix::Random(m, count);
  const Matrix y = Matrix::Random(1, count).cwiseSign(), x = Matrix::Ones(1, count);
  const Matrix linear = Matrix::Zero(1, count);
  const RowMatrix<Value> b = RowMatrix<Value>::Random(count, m);
  const LatentGaussian gaussian{Matrix::Identity(m, m), Matrix::Identity(m, m)};
  const Streams streams{{}, Step::latent};
  constexpr int steps = 64;
  const LatentPotential<Value> potential(gaussian, omega, beta, {2, true}, 1,
                                         {Hmc::preconditioned, 0.01, steps});
  typename LatentPotential<Value>::Memory memory;

  const Any narrow = omega.cast<Value>(), latent = h.cast<Value>();
  Any angles(M, count), sin(M, count), cos(M, count), gradient(m, count);
  // Interleaved, so that a slow moment of the machine hits all alike.
  double move = 1, products = 1, waves = 1, own = 1, standard = 1;
  for (int i = 0; i < repeats; ++i) {
    move = std::min(move,
                    bench::seconds([&] { potential.move(b, y, x, linear, streams, memory, h); }));
    products = std::min(products, bench::seconds([&] {
                          for (int k = 0; k < 20; ++k) {
                            angles.noalias() = narrow.transpose() * latent;
                            gradient.noalias() = narrow * angles;
                          }
                        }));
    waves = std::min(waves, bench::seconds([&] {
                       for (int k = 0; k < 20; ++k) {
                         sleef(angles.data(), angles.size(), sin.data(), cos.data());
                       }
                     }));
    own = std::min(
        own, bench::seconds([&] {
          for (int k = 0; k < 20; ++k) {
            sincos(std::span<const Value>{angles.data(), static_cast<std::size_t>(angles.size())},
                   sin.data(), cos.data());
          }
        }));
    standard = std::min(standard, bench::seconds([&] {
                          cos = angles.unaryExpr([](Value a) { return std::cos(a); });
                          sin = angles.unaryExpr([](Value a) { return std::sin(a); });
                        }));
  }
  const double a_gradient = 1e6 * move / (count * (steps + 1));
  products *= 1e6 / (20 * count);
  waves *= 1e6 / (20 * count);
  fmt::print("{:<8} {:>9.3f} {:>10.3f} {:>10.3f} {:>8.2f} {:>14.3f} {:>14.3f}\n", name, a_gradient,
             products, waves, a_gradient / (products + waves), 1e6 * own / (20 * count),
             1e6 * standard / count);
}

}  // namespace

int main() {
  fmt::print("microseconds an instance and gradient, one thread\n");
  fmt::print("{:<8} {:>9} {:>10} {:>10} {:>8} {:>14} {:>14}\n", "", "m3lak", "products", "sin, cos",
             "ratio", "our sin, cos", "std sin, cos");
  run<double>("double");
  run<float>("float");
}
