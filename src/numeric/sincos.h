// Sine and cosine of many numbers at once, the costliest elementary functions of the model: φ(h)
// needs both of ω·h for each frequency and instance.
//
// Both come from one reduction, x = n π/2 + r with |r| <= π/4: π/2 is taken in three parts, of
// which the first leaves an exact difference, and polynomials in r² are rotated by n quarter turns.
#pragma once

#include <cmath>
#include <span>
#include <type_traits>

#include "numeric/lanes.h"

namespace m3lak {

/// sin[i] and cos[i] of each x[i], within 4 units in the last place (the sine of -0 is 0). What an
/// element gives depends on nothing but its value: not on its place, the length or the neighbours.
/// `sin` or `cos` may be x.data() itself; otherwise the arrays must not overlap.
void sincos(std::span<const double> x, double* sin, double* cos);
void sincos(std::span<const float> x, float* sin, float* cos);

/// Up to which |x| the lanes below are right.
template <class Value>
constexpr Value sincos_limit = 1 << 20;

namespace sincos_parts {

template <class Value>
struct Constants;

template <>
struct Constants<double> {
  static constexpr double shifter = 0x1.8p52;  // x + shifter - shifter is the nearest integer
#ifdef __FP_FAST_FMA
  static constexpr double half_pi[] = {0x1.921fb54442d18p0, 0x1.1a62633145c06p-54,
                                       0x1.c1cd129024e08p-107};
#else
  // 33 bits each, so that their products with n are exact.
  static constexpr double half_pi[] = {0x1.921fb544p0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
#endif
  static constexpr double sin[] = {-0x1.5555555555549p-3,  0x1.111111110f8a6p-7,
                                   -0x1.a01a019c161d5p-13, 0x1.71de357b1fe7dp-19,
                                   -0x1.ae5e68a2b9cebp-26, 0x1.5d93a5acfd57cp-33};
  static constexpr double cos[] = {0x1.555555555554cp-5,  -0x1.6c16c16c15177p-10,
                                   0x1.a01a019cb159p-16,  -0x1.27e4f809c52adp-22,
                                   0x1.1ee9ebdb4b1c4p-29, -0x1.8fae9be8838d4p-37};
};

template <>
struct Constants<float> {
  static constexpr float shifter = 0x1.8p23F;
  static constexpr float half_pi[] = {0x1.921fb4p0F, 0x1.4442dp-24F, 0x1.846988p-48F};
  static constexpr float sin[] = {-0x1.555546p-3F, 0x1.11073cp-7F, -0x1.9943f2p-13F};
  static constexpr float cos[] = {0x1.55554ap-5F, -0x1.6c0c34p-10F, 0x1.99eb9cp-16F};
};

/// c[0] + c[1] x + …
template <class Value, int count>
Lanes<Value> polynomial(const Lanes<Value>& x, const Value (&c)[count]) {
  Lanes<Value> sum = all(c[count - 1]);
  for (int i = count - 2; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

}  // namespace sincos_parts

/// For |x| within the limit.
template <class Value>
[[gnu::always_inline]] inline void sincos(const Lanes<Value>& x, Lanes<Value>& sin,
                                          Lanes<Value>& cos) {
  using C = sincos_parts::Constants<Value>;
  using Bits = LaneBits<Value>;
  constexpr auto two_over_pi = static_cast<Value>(0x1.45f306dc9c883p-1);
  constexpr int sign_place = 8 * static_cast<int>(sizeof(Value)) - 2;

  const Lanes<Value> shifted = x * two_over_pi + C::shifter;
  Bits quarter;
  std::memcpy(&quarter, &shifted, sizeof quarter);
  const Lanes<Value> n = shifted - C::shifter;
  Lanes<Value> r = x - n * C::half_pi[0];
  r = r - n * C::half_pi[1];
  r = r - n * C::half_pi[2];
  const Lanes<Value> square = r * r;
  const Lanes<Value> sin_r = r + r * square * sincos_parts::polynomial(square, C::sin);
  const Lanes<Value> cos_r =
      (1 - square * Value{0.5}) + square * square * sincos_parts::polynomial(square, C::cos);

  // Odd quarters swap the two; bit 1 of n is the sign of the sine, bit 1 of n + 1 of the cosine.
  const Bits odd = (quarter & 1) != 0;
  const auto with_sign = [](Lanes<Value> value, Bits flip) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits ^= (flip & 2) << sign_place;
    std::memcpy(&value, &bits, sizeof bits);
    return value;
  };
  sin = with_sign(odd ? cos_r : sin_r, quarter);
  cos = with_sign(odd ? sin_r : cos_r, quarter + 1);
}

#ifndef __FP_FAST_FMA
/// Without fused multiply-add, parts of π/2 whose products with n are exact are too short in float.
template <>
inline void sincos<float>(const Lanes<float>& x, Lanes<float>& sin, Lanes<float>& cos) {
  constexpr int half = lanes<double>;
  for (int begin = 0; begin < lanes<float>; begin += half) {
    Lanes<double> wide, s, c;
    for (int i = 0; i < half; ++i) wide[i] = static_cast<double>(x[begin + i]);
    sincos<double>(wide, s, c);
    for (int i = 0; i < half; ++i) {
      sin[begin + i] = static_cast<float>(s[i]);
      cos[begin + i] = static_cast<float>(c[i]);
    }
  }
}
#endif

/// For any x, beyond the limit lane by lane.
template <class Value>
void sincos_of_any(const Lanes<Value>& x, Lanes<Value>& sin, Lanes<Value>& cos) {
  for (int i = 0; i < lanes<Value>; ++i) {
    const Value each = x[i];
    const bool usual = std::abs(each) <= sincos_limit<Value>;
    Lanes<Value> s = {}, c = {};
    if (usual) sincos<Value>(all(each), s, c);
    sin[i] = usual ? s[0] : std::sin(each);
    cos[i] = usual ? c[0] : std::cos(each);
  }
}

}  // namespace m3lak
