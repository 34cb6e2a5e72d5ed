// A few numbers at once, as many as this machine computes with in one instruction. The compiler
// turns arithmetic on them into vector instructions of whatever set it compiles for.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace m3lak {

#if defined(__AVX512F__)
constexpr int lane_bytes = 64;
#elif defined(__AVX__)
constexpr int lane_bytes = 32;
#else
constexpr int lane_bytes = 16;
#endif

template <class Value>
struct LanesOf {
  using Bits = std::conditional_t<sizeof(Value) == 8, std::int64_t, std::int32_t>;
  using Type [[gnu::vector_size(lane_bytes)]] = Value;
  using BitsType [[gnu::vector_size(lane_bytes)]] = Bits;
};

/// Lanes of double or float, and of integers of the same size.
template <class Value>
using Lanes = typename LanesOf<Value>::Type;
template <class Value>
using LaneBits = typename LanesOf<Value>::BitsType;

template <class Value>
constexpr int lanes = lane_bytes / static_cast<int>(sizeof(Value));

template <class Value>
Lanes<Value> load(const Value* from) {
  Lanes<Value> x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

template <class Value>
void store(Value* to, const Lanes<Value>& x) {
  std::memcpy(to, &x, sizeof x);
}

/// The same number in all lanes.
template <class Value>
Lanes<Value> all(Value x) {
  return x - Lanes<Value>{};
}

/// What a number or lanes of numbers consist of.
template <class Number>
struct ScalarOf {
  using Type = std::remove_cvref_t<decltype(std::declval<Number>()[0])>;
};
template <class Number>
requires std::is_arithmetic_v<Number>
struct ScalarOf<Number> {
  using Type = Number;
};

/// max(0, x), of a number or of lanes.
template <class Number>
Number positive_part(Number x) {
  return x > 0 ? x : Number{};
}

}  // namespace m3lak
