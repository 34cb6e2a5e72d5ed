#include "numeric/random.h"

#include <gtest/gtest.h>

#include <set>

#include "numeric/statistics.h"

namespace m3lak {
namespace {

using Words = std::array<std::uint64_t, 4>;

Words first_block(const StreamName& name) {
  Stream stream(name);
  return {stream.bits(), stream.bits(), stream.bits(), stream.bits()};
}

// A name and those next to it: each field differs by one from the first.
const std::vector<StreamName> neighbours = {
    {}, {.seed = 1}, {.chain = 1}, {.iteration = 1}, {.step = 1}, {.index = 1},
};

// The three known answers for philox4x64-10 in Random123's tests/kat_vectors.
TEST(Philox, GivesTheKnownAnswers) {
  const auto philox = [](const Words& counter, std::array<std::uint64_t, 2> key) {
    const auto out =
        r123::Philox4x64()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
    return Words{out[0], out[1], out[2], out[3]};
  };
  constexpr std::uint64_t all = ~std::uint64_t{0};
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x16554d9eca36314c, 0xdb20fe9d672d0fdc,
                                                 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  EXPECT_EQ(
      philox({all, all, all, all}, {all, all}),
      (Words{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));
  EXPECT_EQ(
      philox({0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
             {0x452821e638d01377, 0xbe5466cf34e90c6c}),
      (Words{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}));
}

TEST(Stream, IsPhiloxOfItsName) {
  EXPECT_EQ(first_block({}), (Words{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                                    0x7e68b68aec7ba23b}));
  const StreamName name{.seed = 1, .chain = 2, .iteration = 3, .step = 4, .index = 5};
  Stream stream(name);
  for (const std::uint64_t block : {0, 1, 2}) {
    const auto expected = r123::Philox4x64()({{block, 5, 3, 0}}, {{1, (2ULL << 32) | 4}});
    for (const std::uint64_t word : expected) EXPECT_EQ(stream.bits(), word);
  }
}

TEST(Stream, NamesSayItAll) {
  std::set<Words> blocks;
  for (const StreamName& name : neighbours) {
    EXPECT_EQ(first_block(name), first_block(name));
    blocks.insert(first_block(name));
  }
  EXPECT_EQ(blocks.size(), neighbours.size());
}

// These bits are a promise: a seed gives the same chain in every later version.
TEST(Stream, KeepsItsBits) {
  Stream stream({.seed = 42, .chain = 1, .iteration = 100, .step = 3, .index = 7});
  EXPECT_EQ(stream.bits(), 6428308341940313980U);
  EXPECT_EQ(stream.bits(), 4322040280824834970U);
  EXPECT_EQ(stream.below(1000), 369U);
  EXPECT_EQ(stream.below(3ULL << 62), 5030221641828061422U);
  EXPECT_EQ(stream.uniform(), 0x1.7435c64dfa7a8p-4);
}

TEST(Stream, NeighboursAreNotCorrelated) {
  for (std::size_t other = 1; other < neighbours.size(); ++other) {
    Stream a(neighbours[0]), b(neighbours[other]);
    std::vector<double> products(100000);
    for (double& product : products) product = (a.uniform() - 0.5) * (b.uniform() - 0.5);
    EXPECT_GT(mean_p(products, 0), error_rate) << other;
  }
  // First draws of consecutive instances, as the local step takes them.
  std::vector<double> products(100000);
  for (std::size_t n = 0; n < products.size(); ++n) {
    products[n] =
        (Stream({.index = n}).uniform() - 0.5) * (Stream({.index = n + 1}).uniform() - 0.5);
  }
  EXPECT_GT(mean_p(products, 0), error_rate);
  // The check can fail: a stream with itself.
  Stream a({}), b({});
  for (double& product : products) product = (a.uniform() - 0.5) * (b.uniform() - 0.5);
  EXPECT_LT(mean_p(products, 0), error_rate);
}

TEST(Uniform, IsUniform) {
  const auto draws = sample(100000, 1, [](Stream& stream) { return stream.uniform(); });
  EXPECT_GT(kolmogorov_p(draws, [](double x) { return x; }), error_rate);
  EXPECT_LT(kolmogorov_p(draws, [](double x) { return x * x; }), error_rate);
}

TEST(Uniform, IsNeverZeroOrOneAndHasEquallySpacedValues) {
  constexpr std::uint64_t all = ~std::uint64_t{0}, one = 1ULL << 12;
  EXPECT_EQ(Stream::unit(0), 0x1p-53);
  EXPECT_EQ(Stream::unit(all), 1 - 0x1p-53);
  EXPECT_EQ(Stream::unit(all) - Stream::unit(all - one), 0x1p-52);
  EXPECT_EQ(Stream::unit(one) - Stream::unit(0), 0x1p-52);
}

TEST(Below, HasNoBias) {
  // With 3 · 2^62 as the bound, 2^64 mod bound is so large that a plain remainder would make the
  // lowest third twice as likely.
  constexpr std::uint64_t third = 1ULL << 62;
  const auto counts = [](const auto& draw, std::size_t cells) {
    Stream stream({.seed = 3});
    std::vector<double> count(cells);
    for (int i = 0; i < 60000; ++i) ++count[draw(stream)];
    return count;
  };
  const std::vector<double> thirds(3, 1.0 / 3);
  EXPECT_GT(counts_p(counts([](Stream& s) { return s.below(3 * third) / third; }, 3), thirds),
            error_rate);
  EXPECT_LT(counts_p(counts([](Stream& s) { return s.bits() % (3 * third) / third; }, 3), thirds),
            error_rate);
  EXPECT_GT(
      counts_p(counts([](Stream& s) { return s.below(7); }, 7), std::vector<double>(7, 1.0 / 7)),
      error_rate);
  EXPECT_EQ(counts([](Stream& s) { return s.below(1); }, 1)[0], 60000);
}

}  // namespace
}  // namespace m3lak
