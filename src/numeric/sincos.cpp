#include "numeric/sincos.h"

#include <algorithm>

namespace m3lak {

namespace {

/// Whether all lanes are within the limit (NaN is not).
template <class Value, int count>
bool within_limit(const Lanes<Value> (&x)[count]) {
  LaneBits<Value> beyond = {};
  for (const Lanes<Value>& lane : x) {
    beyond |= !(lane <= sincos_limit<Value> && lane >= -sincos_limit<Value>);
  }
  bool any = false;
  for (int i = 0; i < lanes<Value>; ++i) any |= beyond[i] != 0;
  return !any;
}

/// So many lanes at once, as looking whether they are within the limit takes a while.
constexpr int together = 8;

template <class Value>
void sincos_chunk(const Value* x, Value* sin, Value* cos) {
  constexpr int width = lanes<Value>;
  Lanes<Value> in[together], s, c;
  for (int i = 0; i < together; ++i) in[i] = load(x + i * width);
  const bool usual = within_limit<Value>(in);
  for (int i = 0; i < together; ++i) {
    if (usual) {
      sincos<Value>(in[i], s, c);
    } else {
      sincos_of_any<Value>(in[i], s, c);
    }
    store(sin + i * width, s);
    store(cos + i * width, c);
  }
}

template <class Value>
void sincos_array(std::span<const Value> x, Value* sin, Value* cos) {
  constexpr std::size_t chunk = together * lanes<Value>;
  std::size_t begin = 0;
  for (; begin + chunk <= x.size(); begin += chunk) {
    sincos_chunk(x.data() + begin, sin + begin, cos + begin);
  }
  const std::size_t bytes = (x.size() - begin) * sizeof(Value);
  if (bytes == 0) return;
  Value rest[chunk] = {}, s[chunk], c[chunk];
  std::memcpy(rest, x.data() + begin, bytes);
  sincos_chunk(rest, s, c);
  std::memcpy(sin + begin, s, bytes);
  std::memcpy(cos + begin, c, bytes);
}

}  // namespace

void sincos(std::span<const double> x, double* sin, double* cos) { sincos_array(x, sin, cos); }
void sincos(std::span<const float> x, float* sin, float* cos) { sincos_array(x, sin, cos); }

}  // namespace m3lak
