#include "inference/draw_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "data/temporary_folder.h"

namespace m3lak {
namespace {

constexpr double MiB = 1 << 20;

/// All its numbers depend on the seed.
Draw made_up_draw(double seed, Index features = 1000) {
  const auto numbers = [&](Index rows, Index columns, double from) {
    return Matrix(
        Vector::LinSpaced(rows * columns, seed + from, seed - from).reshaped(rows, columns));
  };
  Draw draw;
  draw.views.push_back({numbers(features, 4, 1), Vector::Constant(3, seed), seed});
  draw.views.push_back({numbers(3, 4, 2), Vector::Constant(3, seed), seed});
  draw.frequencies = numbers(3, 20, 3);
  draw.weights = numbers(41, 2, 4);
  draw.linear_weights = Matrix(0, 2);
  draw.components.push_back({0.5, Vector::Constant(3, seed), numbers(3, 3, 5)});
  draw.component_of.assign(20, 0);
  return draw;
}

void expect_same(const Draw& a, const Draw& b) {
  ASSERT_EQ(a.views.size(), b.views.size());
  for (std::size_t v = 0; v < a.views.size(); ++v) {
    EXPECT_EQ(a.views[v].projection, b.views[v].projection);
    EXPECT_EQ(a.views[v].relevance, b.views[v].relevance);
  }
  EXPECT_EQ(a.frequencies, b.frequencies);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.linear_weights.cols(), b.linear_weights.cols());
  EXPECT_EQ(a.components[0].factor, b.components[0].factor);
}

/// A variable of the environment, for as long as this is there.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Kept, IsSharedByCopiesAndReplacedAsAWhole) {
  const Matrix numbers = Matrix::Random(3, 4);
  Kept<Matrix> a = numbers;
  const Kept<Matrix> b = a;
  EXPECT_EQ(a.data(), b.data());
  a = Matrix(2.0 * numbers);
  EXPECT_EQ(b, numbers);
  EXPECT_EQ(a, 2.0 * numbers);
  a = b;
  EXPECT_EQ(a, numbers);
  a = Kept<Matrix>();
  EXPECT_EQ(a.size(), 0);
}

TEST(DrawStore, FillsMemoryFirstAndThenAFileThatHasNoName) {
  const TemporaryFolder folder;
  const Environment there("TMPDIR", folder.path().string());
  DrawStore store(MiB / 10, {});  // three draws of 32 KiB
  std::vector<Draw> kept;
  for (int i = 0; i < 10; ++i) kept.push_back(store.keep(made_up_draw(i)));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  for (int i = 0; i < 10; ++i) {
    const Draw& draw = kept[static_cast<std::size_t>(i)];
    EXPECT_EQ(draw.views[0].projection.is_in_file(), i >= 3);
    EXPECT_EQ(draw.weights.is_in_file(), i >= 3);
    expect_same(draw, made_up_draw(i));
    forget(draw);
    expect_same(draw, made_up_draw(i));
  }
  EXPECT_EQ(store.in_file(), 7U * 8 * (4000 + 12 + 60 + 82));
}

TEST(DrawStore, OutlivesItself) {
  std::vector<Draw> kept;
  {
    DrawStore store(0, {});
    for (int i = 0; i < 5; ++i) kept.push_back(store.keep(made_up_draw(i)));
  }
  kept.erase(kept.begin() + 1);
  expect_same(kept[0], made_up_draw(0));
  expect_same(kept[3], made_up_draw(4));
}

TEST(DrawStore, HasRoomForMoreThanOneMapping) {
  DrawStore store(0, {});
  std::vector<Draw> kept;
  const std::vector<Index> features = {1 << 20, 10,      3 << 20,
                                       1 << 20, 1 << 20, 20};  // 32 MiB each M
  for (const Index size : features) {
    kept.push_back(store.keep(made_up_draw(static_cast<double>(size), size)));
    forget(kept.back());
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    EXPECT_TRUE(kept[i].weights.is_in_file());
    expect_same(kept[i], made_up_draw(static_cast<double>(features[i]), features[i]));
  }
}

TEST(DrawStore, TakesDrawsFromManyThreads) {
  DrawStore store(MiB, {});
  std::vector<std::vector<Draw>> kept(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&store, &own = kept[static_cast<std::size_t>(t)], t] {
      for (int i = 0; i < 50; ++i) own.push_back(store.keep(made_up_draw(100 * t + i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < 50; ++i) {
      expect_same(kept[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)],
                  made_up_draw(100 * t + i));
    }
  }
}

TEST(DrawStore, StaysInMemoryWhereThereIsNoFolder) {
  const Environment nowhere("TMPDIR", "/nowhere/at/all");
  std::vector<std::string> warnings;
  DrawStore store(0, [&](const std::string& text) { warnings.push_back(text); });
  for (int i = 0; i < 3; ++i) {
    const Draw draw = store.keep(made_up_draw(i));
    EXPECT_FALSE(draw.weights.is_in_file());
    expect_same(draw, made_up_draw(i));
  }
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("TMPDIR"), std::string::npos) << warnings[0];
}

TEST(DrawStore, StaysInMemoryWhereTheFileCannotGrow) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 27, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::vector<std::string> warnings;
  std::vector<Draw> kept;
  {
    DrawStore store(0, [&](const std::string& text) { warnings.push_back(text); });
    for (int i = 0; i < 6; ++i) kept.push_back(store.keep(made_up_draw(i, 1 << 20)));
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_TRUE(kept.front().weights.is_in_file());
  EXPECT_FALSE(kept.back().weights.is_in_file());
  ASSERT_EQ(warnings.size(), 1U);
  for (int i = 0; i < 6; ++i)
    expect_same(kept[static_cast<std::size_t>(i)], made_up_draw(i, 1 << 20));
}

}  // namespace
}  // namespace m3lak
