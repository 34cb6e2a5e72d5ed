#include "numeric/sincos.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "numeric/random.h"

namespace m3lak {
namespace {

template <class Value>
struct Both {
  std::vector<Value> sin, cos;
};

template <class Value>
Both<Value> run(const std::vector<Value>& x, std::size_t begin, std::size_t count) {
  Both<Value> out{std::vector<Value>(count), std::vector<Value>(count)};
  sincos(std::span<const Value>{x.data() + begin, count}, out.sin.data(), out.cos.data());
  return out;
}

template <class Value>
Both<Value> run(const std::vector<Value>& x) {
  return run(x, 0, x.size());
}

template <class Value>
bool same_bits(const Value* a, const Value* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(Value)) == 0;
}

/// The distance of `got` from `expected`, in units of the last place of `expected`.
template <class Value>
double ulps(Value got, long double expected) {
  int exponent = 0;
  std::frexp(expected, &exponent);
  using Limits = std::numeric_limits<Value>;
  const int unit = std::max(exponent - Limits::digits, Limits::min_exponent - Limits::digits);
  return static_cast<double>(std::abs(std::ldexp(got - expected, -unit)));
}

/// Arguments of all kinds up to `range`: uniform, of every size down to denormal, and next to
/// multiples of π/2, where one of the two results is next to 0.
template <class Value>
std::vector<Value> arguments(double range) {
  Stream stream({.seed = 1});
  std::vector<Value> x = {0, std::numeric_limits<Value>::denorm_min(),
                          std::numeric_limits<Value>::min()};
  const auto add = [&](double value) { x.push_back(static_cast<Value>(value)); };
  for (int i = 0; i < 30000; ++i) {
    const double u = stream.uniform();
    add(range * u);
    add(10 * u);
    add(range * std::pow(1e-12, u));
    add(std::numeric_limits<Value>::min() * std::pow(1e10, 2 * u - 1));
    const auto quarter_turns = static_cast<double>(
        stream.below(static_cast<std::uint64_t>(range / (std::numbers::pi / 2))));
    const auto near = static_cast<Value>(quarter_turns * std::numbers::pi / 2);
    x.push_back(near);
    x.push_back(std::nextafter(near, Value{0}));
    x.push_back(near * (1 + static_cast<Value>(1e-6 * u)));
  }
  const std::size_t positive = x.size();
  for (std::size_t i = 0; i < positive; ++i) x.push_back(-x[i]);
  return x;
}

template <class Value>
double largest_error(const std::vector<Value>& x) {
  const Both<Value> out = run(x);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact = x[i];
    largest =
        std::max({largest, ulps(out.sin[i], std::sin(exact)), ulps(out.cos[i], std::cos(exact))});
  }
  return largest;
}

TEST(Sincos, IsAccurateTo4Ulp) {
  EXPECT_LT(largest_error(arguments<double>(1e6)), 4);
  EXPECT_LT(largest_error(arguments<float>(1e6)), 4);
  // Beyond the limit of the fast way.
  EXPECT_LT(largest_error(arguments<double>(1e9)), 4);
  EXPECT_LT(largest_error(arguments<float>(1e9)), 4);
}

TEST(Sincos, ErrorsAreCountedInUlp) {
  EXPECT_EQ(ulps(1.0, 1.0L), 0);
  EXPECT_EQ(ulps(1 + 0x1p-51, 1.0L), 2);
  EXPECT_EQ(ulps(1 + 0x1p-22F, 1.0L), 2);
  EXPECT_EQ(ulps(0.0, std::numeric_limits<double>::denorm_min()), 1);
}

template <class Value>
void check_special_values() {
  constexpr Value infinity = std::numeric_limits<Value>::infinity();
  const std::vector<Value> x = {0, -Value{0}, infinity, -infinity, std::nan(""), 1};
  const Both<Value> out = run(x);
  EXPECT_EQ(out.sin[0], 0);
  EXPECT_EQ(out.sin[1], 0);
  EXPECT_EQ(out.cos[0], 1);
  EXPECT_EQ(out.cos[1], 1);
  for (const std::size_t i : {2U, 3U, 4U}) {
    EXPECT_TRUE(std::isnan(out.sin[i])) << x[i];
    EXPECT_TRUE(std::isnan(out.cos[i])) << x[i];
  }
  EXPECT_NEAR(out.sin[5], std::sin(1.0), 1e-6);
}

TEST(Sincos, KnowsSpecialValues) {
  check_special_values<double>();
  check_special_values<float>();
}

// Each element alone, in arrays of every length, and after neighbours of every size gives the same
// bits.
template <class Value>
void check_independence() {
  Stream stream({.seed = 2});
  std::vector<Value> x;
  for (int i = 0; i < 200; ++i) {
    x.push_back(
        static_cast<Value>((stream.uniform() - 0.5) * std::pow(10, 25 * stream.uniform() - 5)));
    x.push_back(static_cast<Value>(100 * stream.uniform()));
  }
  x[50] = std::numeric_limits<Value>::quiet_NaN();
  x[150] = std::numeric_limits<Value>::infinity();
  const Both<Value> whole = run(x);
  for (std::size_t begin = 0; begin < x.size(); ++begin) {
    for (const std::size_t length : {1, 2, 3, 5, 7, 8, 13, 16, 31, 33}) {
      const std::size_t count = std::min<std::size_t>(length, x.size() - begin);
      const Both<Value> part = run(x, begin, count);
      ASSERT_TRUE(same_bits(part.sin.data(), whole.sin.data() + begin, count)) << begin;
      ASSERT_TRUE(same_bits(part.cos.data(), whole.cos.data() + begin, count)) << begin;
    }
  }
  run(x, 0, 0);
}

TEST(Sincos, OfAnElementDependsOnNothingElse) {
  check_independence<double>();
  check_independence<float>();
}

TEST(Sincos, WorksInPlace) {
  const std::vector<double> x = arguments<double>(1e6);
  const Both<double> expected = run(x);
  std::vector<double> sin = x, cos(x.size());
  sincos(sin, sin.data(), cos.data());
  EXPECT_EQ(sin, expected.sin);
  EXPECT_EQ(cos, expected.cos);

  const std::vector<float> y = arguments<float>(3e4);
  const Both<float> expected_float = run(y);
  std::vector<float> sin_float(y.size()), cos_float = y;
  sincos(cos_float, sin_float.data(), cos_float.data());
  EXPECT_EQ(sin_float, expected_float.sin);
  EXPECT_EQ(cos_float, expected_float.cos);
}

}  // namespace
}  // namespace m3lak
