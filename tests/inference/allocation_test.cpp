// What an iteration allocates does not grow with the instances: memory is kept from block to block
// and from one iteration to the next. (Segments of different sizes, as gaps make them, resize it.)
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

#include "inference/chain.h"
#include "m3lak/scaling.h"
#include "m3lak/simulate.h"

namespace {
std::atomic<long> allocations = 0;
}  // namespace

// The linker sends here what this program calls: malloc, as Eigen does, and operator new.
extern "C" {
void* __real_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes) {
  ++allocations;
  return __real_malloc(bytes);
}
void* __real__Znwm(std::size_t bytes);
void* __wrap__Znwm(std::size_t bytes) {
  ++allocations;
  return __real__Znwm(bytes);
}
}

namespace m3lak {
namespace {

struct Counts {
  long local_step, weights, linear, one_by_one, together;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.local_step << " in the local step, " << counts.weights << " for weights, "
             << counts.linear << " for linear weights, " << counts.one_by_one << " and "
             << counts.together << " for frequencies";
}

/// The allocations of one call, once others have made what is kept.
template <class Call>
long count(const Call& call) {
  for (int i = 0; i < 3; ++i) call();
  const long before = allocations;
  call();
  return allocations - before;
}

Counts count(Index instances, Precision precision) {
  SimulationOptions simulation;
  simulation.instances = instances;
  simulation.views = {40, 60, 25};
  Dataset data = simulate(simulation);
  Scaler::fit(data, Scaling::standardize).apply(data);
  Problem problem = prepare(std::move(data), precision);
  problem.coordinates = DenseMatrix::Random(problem.instances(), 100);
  Options options;
  options.precision = precision;
  options.latent = 20;
  options.features = 10;
  Workers workers(1);
  Chain chain(problem, options, workers, 0);
  State& state = chain.state();

  const Move move{Hmc::preconditioned, 0.1, 2};
  const auto local = local_step(workers, problem, options);
  const auto weights = weight_draws(workers, problem, options);
  const auto linear = linear_draws(workers, problem, options);
  Counts counts{};
  counts.local_step = count([&] { (*local)({1, 0, 1}, move, state); });
  counts.weights = count([&] { (*weights)({1, 0, 1}, state); });
  counts.linear = count([&] { (*linear)({1, 0, 1}, state); });
  const auto sweep = [&](Sweep kind) {
    const auto moves = frequency_moves(workers, problem, {1, true}, kind, precision);
    return count([&] { (*moves)({1, 0, 1}, move, state); });
  };
  counts.one_by_one = sweep(Sweep::one_by_one);
  counts.together = sweep(Sweep::together);
  return counts;
}

TEST(Allocation, DoesNotGrowWithTheInstances) {
  EXPECT_EQ(count([] { Matrix::Random(9, 9).eval().col(0).norm(); }), 1);
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    EXPECT_EQ(count(20 * instances_a_block, precision), count(60 * instances_a_block, precision));
  }
}

}  // namespace
}  // namespace m3lak
