#include "inference/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "data/expect_error.h"
#include "data/temporary_folder.h"
#include "inference/chain.h"
#include "m3lak/error.h"
#include "m3lak/simulate.h"

namespace m3lak {
namespace {

template <class Value>
std::string bytes_of(Value& value) {
  std::ostringstream stream;
  CheckedOutput output(stream);
  ArchiveWriter<CheckedOutput>{output}(value);
  return stream.str();
}

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void replace(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

// A chain at any point, with all that can be drawn.

struct World {
  std::string name;
  Index instances = 60;
  std::vector<Index> views = {4, 6};
  Precision precision = Precision::full;
  bool three_classes = false;
  double label_weight = 1;
};

void PrintTo(const World& world, std::ostream* out) { *out << world.name; }

Problem problem_of(const World& world) {
  SimulationOptions simulation;
  simulation.instances = world.instances;
  simulation.views = world.views;
  simulation.latent = 2;
  simulation.missing_views = simulation.missing_cells = simulation.unknown_labels = 0.1;
  Dataset data = simulate(simulation);
  if (world.three_classes) {
    data.labels->classes = {"a", "b", "c"};
    for (std::size_t n = 0; n < data.labels->of.size(); n += 3) data.labels->of[n] = 2;
  }
  scale(Scaler::fit(data, Scaling::standardize), world.precision, data);
  Problem problem = prepare_training(std::move(data), 4, world.precision);
  problem.coordinates = DenseMatrix::Random(problem.instances(), 3);
  return problem;
}

Options options_of(const World& world) {
  Options options;
  options.latent = 3;
  options.features = 4;
  options.burn_in = 8;
  options.iterations = 14;
  options.label_weight = world.label_weight;
  options.precision = world.precision;
  options.sample_concentration = options.sample_weight_precision = true;
  return options;
}

class ChainThatGoesOn : public testing::TestWithParam<World> {};

TEST_P(ChainThatGoesOn, EndsWhereItWouldHave) {
  const Problem problem = problem_of(GetParam());
  const Options options = options_of(GetParam());
  Workers workers(1), pair(2);
  Chain whole(problem, options, workers, 1);
  std::vector<std::string> at = {bytes_of(whole)};
  std::vector<double> log_joint;
  for (int i = 0; i < options.iterations; ++i) {
    log_joint.push_back(whole.iterate().log_joint);
    at.push_back(bytes_of(whole));
  }
  for (std::size_t stop = 0; stop < at.size(); ++stop) {
    Chain other(problem, options, pair, 1);
    ArchiveReader reader(at[stop]);
    reader(other);
    EXPECT_EQ(reader.left(), 0U);
    EXPECT_EQ(other.iterations(), static_cast<int>(stop));
    for (std::size_t i = stop; i < log_joint.size(); ++i) {
      EXPECT_EQ(other.iterate().log_joint, log_joint[i]);
    }
    EXPECT_TRUE(bytes_of(other) == at.back()) << "stopped after " << stop;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Checkpoint, ChainThatGoesOn,
    testing::Values(World{"gaps"}, World{"mixed", 60, {4, 6}, Precision::mixed},
                    World{"three_classes", 60, {4, 6}, Precision::full, true},
                    World{"labels_not_fed_back", 60, {4, 6}, Precision::full, false, 0},
                    World{"wide", 20, {200, 5}}),
    [](const auto& info) { return info.param.name; });

// The file.

struct Part {
  int number = 0;
  std::vector<double> values;
};

template <class Kind>
void transfer(Kind& archive, Part& part) {
  archive(part.number, part.values);
}

const Identity ours = {{"C", "2"}, {"view 'a'", "3 x 4"}};

struct Folder {
  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "fit.checkpoint";
  std::filesystem::path before = folder.path() / "fit.checkpoint.previous";
  std::vector<std::string> warnings;

  Checkpoint open(bool resume, const Identity& identity = ours) {
    return {{.file = file, .seconds = 1e9, .resume = resume},
            identity,
            [this](const std::string& text) { warnings.push_back(text); }};
  }

  void save(Part part) {
    Checkpoint checkpoint = open(false);
    checkpoint.add("part", part);
    checkpoint.save();
  }

  /// The number of the part that is resumed; -1: none.
  int resumed() {
    Checkpoint checkpoint = open(true);
    Part part;
    return checkpoint.add("part", part) ? part.number : -1;
  }
};

TEST(Checkpoint, GivesBackWhatWasSaved) {
  Folder folder;
  EXPECT_EQ(folder.resumed(), -1);
  folder.save({7, {1, 2.5}});
  Checkpoint checkpoint = folder.open(true);
  EXPECT_TRUE(checkpoint.has("part"));
  Part part;
  EXPECT_TRUE(checkpoint.add("part", part));
  EXPECT_EQ(part.number, 7);
  EXPECT_EQ(part.values, (std::vector{1, 2.5}));
  EXPECT_FALSE(checkpoint.has("part"));
}

TEST(Checkpoint, WithoutAPlanNothingIsKept) {
  Checkpoint none;
  Part part{3, {}};
  EXPECT_FALSE(none.add("part", part));
  EXPECT_FALSE(none.has("part"));
  none.save_if_due(1);
  none.save();
  none.remove("part");
}

TEST(Checkpoint, WhatNobodyHasAskedForYetStays) {
  Folder folder;
  folder.save({7, {}});
  {
    Checkpoint checkpoint = folder.open(true);
    Part other{8, {}};
    checkpoint.add("other", other);
    checkpoint.save();
  }
  Checkpoint checkpoint = folder.open(true);
  Part part, other;
  EXPECT_TRUE(checkpoint.add("part", part));
  EXPECT_TRUE(checkpoint.add("other", other));
  EXPECT_EQ(part.number, 7);
  EXPECT_EQ(other.number, 8);
  checkpoint.remove("part");
  checkpoint.save();
  EXPECT_EQ(folder.resumed(), -1);
}

TEST(Checkpoint, TheLastTwoAreKept) {
  Folder folder;
  for (const int number : {1, 2, 3}) folder.save({number, {}});
  EXPECT_EQ(folder.resumed(), 3);
  std::filesystem::rename(folder.before, folder.file);
  EXPECT_EQ(folder.resumed(), 2);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.folder.path()), {}), 1);
}

TEST(Checkpoint, IsSavedWhenItIsDue) {
  Folder folder;
  Part part{1, {}};
  Checkpoint by_iterations({.file = folder.file, .seconds = 1e9, .iterations = 5}, ours, {});
  by_iterations.add("part", part);
  for (int i = 1; i < 5; ++i) by_iterations.save_if_due(i);
  by_iterations.save_if_due();
  EXPECT_FALSE(std::filesystem::exists(folder.file));
  by_iterations.save_if_due(5);
  EXPECT_EQ(folder.resumed(), 1);
  Checkpoint by_time({.file = folder.file, .seconds = 0}, ours, {});
  part.number = 2;
  by_time.add("part", part);
  by_time.save_if_due();
  EXPECT_EQ(folder.resumed(), 2);
}

TEST(Checkpoint, DamagedOnesAreRefusedAndTheOneBeforeIsUsed) {
  Folder folder;
  folder.save({1, {4, 5}});
  folder.save({2, {6, 7}});
  const std::string good = content(folder.file);
  std::vector<std::string> bad = {""};
  for (std::size_t cut = 0; cut < good.size(); cut += 7) bad.push_back(good.substr(0, cut));
  for (std::size_t at = 0; at < good.size(); at += 5) {
    bad.push_back(good);
    bad.back()[at] ^= 4;
  }
  for (const std::string& each : bad) {
    replace(folder.file, each);
    folder.warnings.clear();
    EXPECT_EQ(folder.resumed(), 1);
    ASSERT_EQ(folder.warnings.size(), 1U);
    EXPECT_NE(folder.warnings[0].find("is damaged or cut short"), std::string::npos);
    EXPECT_NE(folder.warnings[0].find(folder.before.string()), std::string::npos);
  }
  replace(folder.before, good.substr(0, 40));
  expect_error<BadData>([&] { folder.resumed(); }, {"fit.checkpoint: is damaged", "--resume"});
  std::filesystem::remove(folder.file);
  expect_error<BadData>([&] { folder.resumed(); }, {"previous: is damaged"});
}

TEST(Checkpoint, ADamagedOneDoesNotReplaceTheOneBefore) {
  Folder folder;
  folder.save({1, {}});
  folder.save({2, {}});
  replace(folder.file, "m3lak checkpoint 1\nrubbish");
  Part part;
  Checkpoint checkpoint = folder.open(true);
  checkpoint.add("part", part);
  part.number = 3;
  checkpoint.save();
  std::filesystem::rename(folder.before, folder.file);
  EXPECT_EQ(folder.resumed(), 1);
}

TEST(Checkpoint, OfAnotherFitIsRefusedWithTheDifference) {
  Folder folder;
  folder.save({1, {}});
  const auto resume = [&](const Identity& identity) {
    return [&folder, identity] { static_cast<void>(folder.open(true, identity)); };
  };
  expect_error<BadData>(resume({{"C", "3"}, {"view 'a'", "3 x 4"}}),
                        {"another fit", "C was 2 and is 3."});
  expect_error<BadData>(
      resume({{"C", "2"}, {"view 'b'", "3 x 4"}}),
      {"view 'a' was 3 x 4 and is not there", "view 'b' was not there and is 3 x 4"});
  EXPECT_EQ(folder.resumed(), 1);
}

TEST(Checkpoint, ThatDoesNotHoldWhatItShouldIsRefused) {
  Folder folder;
  folder.save({1, {2, 3}});
  Checkpoint checkpoint = folder.open(true);
  std::vector<std::string> other;
  expect_error<BadData>([&] { checkpoint.add("part", other); }, {"does not hold what it should"});
}

TEST(Checkpoint, FilesOfOthersAreNotReplaced) {
  Folder folder;
  replace(folder.file, "id,value\n");
  expect_error<BadUsage>([&] { static_cast<void>(folder.open(false)); }, {"something else"});
  EXPECT_EQ(content(folder.file), "id,value\n");
}

TEST(Checkpoint, WhatCannotBeWrittenIsWarnedOf) {
  Folder folder;
  std::filesystem::create_directory(folder.folder.path() / "inside");
  folder.file = folder.folder.path() / "inside" / "fit.checkpoint";
  Checkpoint checkpoint = folder.open(false);
  std::filesystem::remove_all(folder.folder.path() / "inside");
  Part part;
  checkpoint.add("part", part);
  checkpoint.save();
  ASSERT_EQ(folder.warnings.size(), 1U);
  EXPECT_NE(folder.warnings[0].find("could not be written"), std::string::npos);
  expect_error<BadUsage>([&] { static_cast<void>(folder.open(false)); }, {"does not exist"});
}

TEST(Checkpoint, LeftoversOfTheDeadAreRemoved) {
  Folder folder;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto leftover = [&](auto process) {
    return folder.folder.path() / (".fit." + std::to_string(process) + ".part.checkpoint");
  };
  const auto of_previous =
      folder.folder.path() / (".fit.checkpoint." + std::to_string(child) + ".part.previous");
  for (const auto& file : {leftover(child), of_previous, leftover(1),
                           folder.folder.path() / ".fit.x1.part.checkpoint"}) {
    replace(file, "half");
  }
  static_cast<void>(folder.open(false));
  EXPECT_FALSE(std::filesystem::exists(leftover(child)));
  EXPECT_FALSE(std::filesystem::exists(of_previous));
  EXPECT_TRUE(std::filesystem::exists(leftover(1)));
  EXPECT_TRUE(std::filesystem::exists(folder.folder.path() / ".fit.x1.part.checkpoint"));
}

}  // namespace
}  // namespace m3lak
