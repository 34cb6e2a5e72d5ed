#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/simulate.h"
#include "m3lak/study.h"
#include "study/child.h"

namespace m3lak {
namespace {

using End = ChildResult::End;

TEST(Child, ReturnsWhatItsWorkDoes) {
  const std::string long_text(200'000, 'x');
  const ChildResult result = in_child([&] { return long_text; }, 60, {});
  EXPECT_EQ(result.end, End::returned);
  EXPECT_EQ(result.text, long_text);
  EXPECT_GT(result.peak_bytes, 1e6);
}

TEST(Child, TellsItsMemory) {
  const auto taking = [](std::size_t bytes) {
    return in_child(
               [bytes] {
                 const std::vector<char> memory(bytes, 'm');
                 return std::string(1, memory[bytes / 2]);
               },
               60, {})
        .peak_bytes;
  };
  const double little = taking(1000), much = taking(100'000'000);
  EXPECT_NEAR(much - little, 1e8, 2e7);
}

TEST(Child, MayFailInManyWays) {
  const ChildResult threw = in_child([]() -> std::string { throw BadData("no good"); }, 60, {});
  EXPECT_EQ(threw.end, End::threw);
  EXPECT_EQ(threw.text, "no good");
  const auto sleep = [] {
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return std::string("late");
  };
  EXPECT_EQ(in_child(sleep, 0.3, {}).end, End::too_long);
  EXPECT_EQ(in_child(sleep, 60, [] { return true; }).end, End::stopped);
  EXPECT_EQ(in_child([]() -> std::string { std::_Exit(9); }, 60, {}).end, End::killed);
  // What the system kills for want of memory is not what crashed.
  for (const int signal : {SIGKILL, SIGUSR1}) {
    const ChildResult killed = in_child(
        [signal]() -> std::string {
          std::raise(signal);
          return "";
        },
        60, {});
    EXPECT_EQ(killed.end, End::killed);
    EXPECT_EQ(killed.by_force, signal == SIGKILL);
  }
}

NamedData example() {
  SimulationOptions options;
  options.instances = 300;
  options.views = {5, 6};
  return {"set", simulate(options)};
}

TEST(Scale, MeasuresEachSize) {
  ScaleOptions options;
  options.methods = {{"nearest-mean", "nearest-mean", {}}, {"vmrml", "vmrml", {.tune = false}}};
  options.train = {100, 50};
  const std::vector<Cell> cells = scale({example()}, options);
  ASSERT_EQ(cells.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(cells[i].trained, i % 2 == 0 ? 50 : 100);
    EXPECT_EQ(cells[i].tested, 200);
    EXPECT_GT(cells[i].measures.accuracy, 0.6);
    EXPECT_GT(cells[i].peak_bytes, 1e6);
    EXPECT_LE(cells[i].measures.fit_seconds, cells[i].measures.seconds);
  }
  const std::string text = scale_markdown(cells, {"set"}, {"nearest-mean", "vmrml"});
  for (const char* part :
       {"## set: Accuracy (%)", "Seconds of training", "Peak memory", "| 100        |"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Scale, WhatTakesTooLongIsNotTriedOnMore) {
  ScaleOptions options;
  options.methods = {{"m3lak", "m3lak", {}}};
  options.train = {50, 100};
  options.seconds = 0.2;
  const std::vector<Cell> cells = scale({example()}, options);
  ASSERT_EQ(cells.size(), 2U);
  for (const Cell& cell : cells) EXPECT_EQ(cell.failure, "longer than 0.2 s");
  EXPECT_EQ(cells[1].peak_bytes, 0);  // it was not begun
}

// With a system of twice the number of instances, which is 5 TB for the largest.
TEST(Scale, WhatIsTooLargeIsNotCalledTooLong) {
  SimulationOptions simulation;
  simulation.instances = 400'100;
  simulation.views = {1, 1};
  simulation.latent = 1;
  ScaleOptions options;
  options.methods = {{"vmrml-full", "vmrml-full", {.tune = false}}};
  options.train = {3000, 3100, 400'000};
  options.seconds = 0.01;
  std::vector<std::string> notes;
  CompareCallbacks callbacks;
  callbacks.note = [&](const std::string& note) { notes.push_back(note); };
  const std::vector<Cell> cells = scale({{"set", simulate(simulation)}}, options, callbacks);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0].failure, "longer than 0.01 s");
  EXPECT_EQ(cells[1].failure, "longer than 0.01 s");
  EXPECT_EQ(cells[2].failure, "out of memory");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("400000 instances would need"), std::string::npos) << notes[0];
}

TEST(Scale, LeavesSomeToTestOn) {
  ScaleOptions options;
  options.methods = {{"svm", "svm", {}}};
  options.train = {300};
  expect_error<BadUsage>([&] { scale({example()}, options); }, {"--train 300", "300 instances"});
  options.train = {1};
  expect_error<BadUsage>([&] { scale({example()}, options); }, {"--train"});
}

}  // namespace
}  // namespace m3lak
