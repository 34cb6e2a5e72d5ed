#include "numeric/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

namespace m3lak {
namespace {

using Eigen::Index;

double term(Index i) { return std::sin(static_cast<double>(i)) * std::pow(10.0, i % 17 - 8); }

double sum_of_terms(int threads, Index count, Index block_size) {
  Workers workers(threads);
  return reduce_blocks(
      workers, {count, block_size}, 0.0,
      [](Block block, double& sum) {
        for (Index i = block.begin; i < block.end(); ++i) sum += term(i);
      },
      [](double& into, double from) { into += from; });
}

TEST(Blocks, CoverEverythingOnce) {
  for (const Index count : {0, 1, 9, 10, 11, 1000}) {
    const Blocks blocks{count, 10};
    Index next = 0;
    for (Index b = 0; b < blocks.number(); ++b) {
      EXPECT_EQ(blocks[b].begin, next);
      EXPECT_GT(blocks[b].size, 0);
      next = blocks[b].end();
    }
    EXPECT_EQ(next, count);
  }
}

TEST(ForEachBlock, CallsEachBlockOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    Workers workers(threads);
    EXPECT_EQ(workers.threads(), threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::atomic<int>> calls(101);
      for_each_block(workers, {1001, 10}, [&](Block block) {
        ++calls[static_cast<std::size_t>(block.index)];
        EXPECT_EQ(block.size, block.index == 100 ? 1 : 10);
      });
      for (const auto& n : calls) EXPECT_EQ(n, 1);
    }
  }
}

TEST(ForEachBlock, UsesItsThreads) {
  Workers workers(2);
  std::atomic<int> inside{0};
  // Each of the two calls waits for the other: with one thread this would never end.
  workers.run(2, [&](Index) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 2);
}

TEST(ForEachBlock, RethrowsTheErrorOfTheSmallestIndex) {
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      try {
        workers.run(100, [](Index i) {
          if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "7");
      }
      int calls = 0;  // and the crew is still fit for work
      workers.run(1, [&](Index) { ++calls; });
      EXPECT_EQ(calls, 1);
    }
  }
}

TEST(ReduceBlocks, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const Index count : {1, 63, 640, 641, 100000}) {
    const double one = sum_of_terms(1, count, 10);
    for (const int threads : {2, 3, 7}) {
      EXPECT_EQ(one, sum_of_terms(threads, count, 10)) << count << " terms, " << threads;
    }
  }
  // The property is not empty: another order of the same terms gives other bits.
  EXPECT_NE(sum_of_terms(1, 100000, 10), sum_of_terms(1, 100000, 11));
}

TEST(ReduceBlocks, SumsAlongOneBinaryTree) {
  // A partial sum is written as text, so that the shape of the tree can be read off.
  const auto shape = [](Index leaves) {
    Workers workers(3);
    return reduce_blocks(
        workers, {leaves, 1}, std::string(),
        [](Block block, std::string& text) { text = std::to_string(block.index); },
        [](std::string& into, const std::string& from) { into = "(" + into + from + ")"; });
  };
  EXPECT_EQ(shape(1), "0");
  EXPECT_EQ(shape(2), "(01)");
  EXPECT_EQ(shape(5), "((01)(2(34)))");
  EXPECT_EQ(shape(7), "((0(12))((34)(56)))");
  // Halves are trees of their own: what two processes would sum each by itself.
  const std::string all = shape(513), half = shape(256);
  EXPECT_EQ(all.substr(1, half.size()), half);
}

TEST(Reduction, StartsAfreshEachTimeAndAfterAnError) {
  for (const int threads : {1, 3}) {
    Workers workers(threads);
    Reduction<double> reduction(0.0);
    const auto sum = [&](Index count, Index bad) {
      return reduction(
          workers, {count, 1},
          [&](Block block, double& partial, int worker) {
            EXPECT_LT(worker, threads);
            if (block.index == bad) throw std::runtime_error("bad");
            partial += 1;
          },
          [](double& into, double from) { into += from; });
    };
    for (const Index count : {1, 7, 1000, 3}) {
      EXPECT_EQ(sum(count, -1), static_cast<double>(count));
      EXPECT_THROW(sum(1000, 617), std::runtime_error);
    }
  }
}

TEST(ReduceBlocks, OfNothingIsZero) { EXPECT_EQ(sum_of_terms(2, 0, 10), 0.0); }

}  // namespace
}  // namespace m3lak
