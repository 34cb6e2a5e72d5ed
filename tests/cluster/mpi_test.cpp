// Real processes: mpirun starts several of this program, and each runs all tests.
#include "cluster/mpi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "data/fingerprint.h"
#include "data/moments.h"
#include "m3lak/simulate.h"
#include "model/problem.h"
#include "model/side_by_side.h"
#include "numeric/parallel.h"

namespace m3lak {
namespace {

std::unique_ptr<World> world;

bool is_power_of_two() { return (world->share().ranks & (world->share().ranks - 1)) == 0; }

Dataset example(Index instances) {
  SimulationOptions simulation;
  simulation.instances = instances;
  simulation.views = {7, 30};
  simulation.missing_views = simulation.missing_cells = simulation.unknown_labels = 0.1;
  Dataset data = simulate(simulation);
  data.views[1].values = SparseMatrix(data.views[1].dense().sparseView());
  return data;
}

struct Cut {
  Dataset data;
  Part part;
};

/// What this process has of it.
Cut own(const Dataset& data) {
  const Block rows = own_instances(data.instances(), world->share());
  std::vector<Index> places(static_cast<std::size_t>(rows.size));
  std::iota(places.begin(), places.end(), rows.begin);
  return {data.select(places), {rows.begin, data.instances(), world.get()}};
}

TEST(Mpi, SendsWhatIsThere) {
  // From each to the next: nothing, little, and more than fits any buffer.
  const auto [rank, ranks] = world->share();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5'000'000}}) {
    const std::string mine(size, static_cast<char>('a' + rank));
    if (rank + 1 < ranks) world->send(rank + 1, mine);
    if (rank > 0) {
      std::string got = "before";
      world->receive(rank - 1, got);
      EXPECT_EQ(got, std::string(size, static_cast<char>('a' + rank - 1)));
    }
  }
  EXPECT_GE(world->on_this_machine(), 1);
}

TEST(Mpi, TheFirstTellsAll) {
  std::vector<double> values;
  if (world->is_first()) values = {1, 2, 3.5};
  share_first(*world, values);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3.5}));
}

TEST(Mpi, AllKnowTheValuesOfAll) {
  const auto all = values_of(*world, std::string(1, static_cast<char>('a' + world->share().rank)));
  ASSERT_EQ(std::ssize(all), world->share().ranks);
  for (std::size_t r = 0; r < all.size(); ++r) {
    EXPECT_EQ(all[r], std::string(1, static_cast<char>('a' + static_cast<int>(r))));
  }
}

/// The terms' places, with brackets where they are added.
std::string shape(Workers& workers, Index leaves, Index first) {
  return reduce_blocks(
      workers, {leaves, 1}, std::string(),
      [&](Block block, std::string& text) { text = std::to_string(first + block.index) + ","; },
      [](std::string& into, const std::string& from) {
        if (into.empty() || from.empty()) {
          into += from;
        } else {
          into = "(" + into + from + ")";
        }
      });
}

TEST(Mpi, SumsFollowTheTreeOfOneProcess) {
  for (const Index blocks : {1, 2, 3, 7, 64, 391}) {
    const Block rows = own_instances(blocks * instances_a_block, world->share());
    const Index number = Blocks{rows.size, instances_a_block}.number();
    Workers together(2, world.get()), alone(2);
    const std::string shared = shape(together, number, rows.index);
    if (is_power_of_two()) {
      EXPECT_EQ(shared, shape(alone, blocks, 0)) << blocks;
    } else {
      EXPECT_EQ(std::count(shared.begin(), shared.end(), ','), blocks);
    }
  }
}

TEST(Mpi, ADatasetIsPutTogetherAgain) {
  for (const Index instances : {5, 300, 1500}) {
    const Dataset data = example(instances);
    const auto [mine, part] = own(data);
    EXPECT_EQ(all_labels(*world, *mine.labels).of, data.labels->of);
    const Dataset all = gathered(*world, mine);
    EXPECT_EQ(fingerprint(all), fingerprint(data));
    for (std::size_t v = 0; v < data.views.size(); ++v) {
      EXPECT_EQ(fingerprint(mine.views[v], part), fingerprint(data.views[v], whole(data)));
      EXPECT_NE(fingerprint(mine.views[v], {part.first + 1, part.total, part.cluster}),
                fingerprint(data.views[v], whole(data)));
    }
    EXPECT_EQ(fingerprint(*mine.labels, part), fingerprint(*data.labels, whole(data)));
  }
}

TEST(Mpi, SumsOverTheDataAreThoseOfOneProcess) {
  const Dataset data = example(2000);
  auto [mine, part] = own(data);
  Workers together(2, world.get()), alone(1);
  const auto expect_same = [](const auto& a, const auto& b) {
    if (is_power_of_two()) {
      EXPECT_EQ(a, b);
    } else {
      EXPECT_TRUE(a.isApprox(b, 1e-12));
    }
  };
  for (std::size_t v = 0; v < data.views.size(); ++v) {
    const Moments a = moments_of(together, mine.views[v]), b = moments_of(alone, data.views[v]);
    expect_same(a.mean, b.mean);
    expect_same(a.variance, b.variance);
  }
  const Problem shared = prepare_training(together, mine, part, 4, Precision::full);
  const Problem all = prepare_training(alone, data, whole(data), 4, Precision::full);
  EXPECT_EQ(shared.present, all.present);
  expect_same(features_gram(together, shared, Instances::all),
              features_gram(alone, all, Instances::all));
  const DenseMatrix B = DenseMatrix::Ones(37, 3);
  expect_same(features_gram_times(together, shared, Instances::some, B),
              features_gram_times(alone, all, Instances::some, B));
  // And what a whole problem is cut into is what each process prepares for itself.
  const Problem part_of_all = own_part(all, world->share());
  EXPECT_EQ(part_of_all.first, shared.first);
  EXPECT_EQ(part_of_all.order, shared.order);
  EXPECT_EQ(part_of_all.y, shared.y);
  expect_same(instances_times(alone, part_of_all, B), instances_times(alone, shared, B));
}

}  // namespace
}  // namespace m3lak

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  m3lak::world = m3lak::start_mpi(argc, argv);
  if (!m3lak::world) {
    std::fputs("to be run by mpirun\n", stderr);
    return 1;
  }
  const int status = RUN_ALL_TESTS();
  m3lak::world.reset();
  return status;
}
