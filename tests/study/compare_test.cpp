#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "data/expect_error.h"
#include "data/temporary_folder.h"
#include "m3lak/error.h"
#include "m3lak/simulate.h"
#include "m3lak/study.h"
#include "study/results_file.h"

namespace m3lak {
namespace {

NamedData example(const std::string& name, std::uint64_t seed = 1) {
  SimulationOptions options;
  options.instances = 90;
  options.views = {5, 6};
  options.seed = seed;
  return {name, simulate(options)};
}

CompareOptions quick() {
  CompareOptions options;
  options.methods = {{"nearest-mean", "nearest-mean", {}}, {"svm", "svm", {}}};
  options.folds = 4;
  options.seeds = {1, 2};
  options.threads = 2;
  return options;
}

const Cell& cell_of(const std::vector<Cell>& cells, const std::string& data,
                    const std::string& method, std::uint64_t seed, int fold) {
  return *std::ranges::find_if(cells, [&](const Cell& cell) {
    return cell.data == data && cell.method == method && cell.seed == seed && cell.fold == fold;
  });
}

TEST(Compare, CellsAreThoseOfEvaluate) {
  const std::vector<NamedData> sets = {example("a"), example("b", 2)};
  const std::vector<Cell> cells = compare(sets, quick());
  ASSERT_EQ(cells.size(), 2U * 2 * 2 * 4);
  const auto place = [](const Cell& cell) {  // whichever was finished first
    return std::tuple(cell.seed, cell.data, cell.method, cell.fold);
  };
  EXPECT_TRUE(std::ranges::is_sorted(cells, {}, place));
  for (const NamedData& set : sets) {
    for (const std::uint64_t seed : {1, 2}) {
      const Evaluation expected = evaluate(set.data, method_of("nearest-mean"), 4, seed);
      for (int fold = 0; fold < 4; ++fold) {
        const Cell& cell = cell_of(cells, set.name, "nearest-mean", seed, fold);
        const Measures& measures = expected.folds[static_cast<std::size_t>(fold)];
        EXPECT_EQ(cell.measures.accuracy, measures.accuracy);
        EXPECT_EQ(cell.measures.log_loss, measures.log_loss);
        EXPECT_EQ(cell.trained + cell.tested, 90);
      }
    }
  }
}

TEST(Compare, GoesOnWhereItWasStopped) {
  const TemporaryFolder folder;
  CompareOptions options = quick();
  options.threads = 1;
  options.results = folder.path() / "results.jsonl";
  const std::vector<NamedData> sets = {example("a")};
  int done = 0;
  CompareCallbacks callbacks;
  callbacks.progress = [&](int now, int total, const Cell&) {
    EXPECT_EQ(total, 16);
    EXPECT_EQ(now, done + 1);
    done = now;
  };
  callbacks.stop = [&] { return done == 5; };
  EXPECT_EQ(compare(sets, options, callbacks).size(), 5U);

  // The last line was being written when the power failed.
  std::filesystem::resize_file(options.results, std::filesystem::file_size(options.results) - 7);
  std::vector<std::string> notes;
  int computed = 0;
  CompareCallbacks again;
  again.progress = [&](int now, int total, const Cell&) {
    EXPECT_EQ(total, 12);  // what is left
    EXPECT_EQ(now, ++computed);
  };
  again.note = [&](const std::string& note) { notes.push_back(note); };
  const std::vector<Cell> all = compare(sets, options, again);
  EXPECT_EQ(all.size(), 16U);
  EXPECT_EQ(computed, 12);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "4 of 16 cells were finished before");

  CompareOptions fresh = options;
  fresh.results.clear();
  for (const Cell& cell : compare(sets, fresh)) {
    const Cell& kept = cell_of(all, cell.data, cell.method, cell.seed, cell.fold);
    EXPECT_EQ(kept.measures.accuracy, cell.measures.accuracy);
    EXPECT_EQ(kept.measures.auc, cell.measures.auc);
  }
}

TEST(Compare, OtherDataOrSettingsAreComputedAgain) {
  const TemporaryFolder folder;
  CompareOptions options = quick();
  options.methods = {{"nearest-mean", "nearest-mean", {}}};
  options.seeds = {1};
  options.results = folder.path() / "results.jsonl";
  int computed = 0;
  CompareCallbacks callbacks;
  callbacks.progress = [&](int, int, const Cell&) { ++computed; };
  const auto count = [&](const NamedData& set) {
    computed = 0;
    compare({set}, options, callbacks);
    return computed;
  };
  EXPECT_EQ(count(example("a")), 4);
  EXPECT_EQ(count(example("another name")), 0);
  EXPECT_EQ(count(example("a", 3)), 4);
  options.folds = 5;
  EXPECT_EQ(count(example("a")), 5);
}

TEST(Compare, RefusesFilesOfOtherThings) {
  const TemporaryFolder folder;
  CompareOptions options = quick();
  options.results = folder.path() / "shopping.txt";
  std::ofstream(options.results) << "milk\nbread\nbutter\n";
  expect_error<BadData>([&] { compare({example("a")}, options); },
                        {"shopping.txt, line 1", "give another file"});
  options.results = folder.path() / "no such folder" / "results";
  expect_error<BadUsage>([&] { compare({example("a")}, options); }, {"cannot be written to"});
}

TEST(Compare, RefusesTwoSetsOfOneName) {
  expect_error<BadUsage>([] { compare({example("a"), example("a")}, quick()); }, {"'a'"});
}

Cell made_up(const std::string& method, int fold, double accuracy) {
  Cell cell{"set", method, 1, fold, {}, 90, 10, 0, {}};
  cell.measures.accuracy = accuracy;
  return cell;
}

TEST(Compare, PairsFoldsWithEachOther) {
  const std::vector<Cell> cells = {made_up("ours", 0, 0.9), made_up("theirs", 1, 0.7),
                                   made_up("ours", 1, 0.8), made_up("theirs", 0, 0.85),
                                   made_up("ours", 2, 0.9)};
  const Paired pair = paired(cells, "set", "theirs", "ours");
  EXPECT_EQ(pair.folds, 2);
  EXPECT_NEAR(pair.difference, -0.075, 1e-12);
  EXPECT_EQ(paired(cells, "other set", "theirs", "ours").folds, 0);
  const Summary ours = summary(cells, "set", "ours", &Measures::accuracy);
  EXPECT_NEAR(ours.mean, 2.6 / 3, 1e-12);
  EXPECT_NEAR(ours.deviation, std::sqrt(1.0 / 300), 1e-12);
}

TEST(Compare, TablesHaveTheBestInBoldAndTheAverage) {
  std::vector<Cell> cells;
  for (const char* set : {"first", "second"}) {
    for (int fold = 0; fold < 3; ++fold) {
      cells.push_back(made_up("ours", fold, 0.9));
      cells.push_back(made_up("theirs", fold, 0.8 + 0.01 * fold));
      for (std::size_t back : {1, 2}) cells[cells.size() - back].data = set;
    }
  }
  Cell failed = made_up("large", 0, 0);
  failed.data = "first";
  failed.failure = "out of memory";
  cells.push_back(failed);
  const std::string text =
      compare_markdown(cells, {"first", "second"}, {"ours", "theirs", "large"});
  for (const char* part :
       {"| **90.0 ± 0.0** | 81.0 ± 1.0 | out of memory |", "| average |", "90.0 |",
        "## Accuracy less that of ours, fold by fold", "-9.0 |", "## Log-loss"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace m3lak
