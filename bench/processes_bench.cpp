// Time and bytes of an iteration on the processes that mpirun started, one thread each: run by
// processes_bench.py.
#include <fmt/format.h>

#include <memory>
#include <numeric>

#include "cluster/mpi.h"
#include "inference/chain.h"
#include "nus_wide.h"

using namespace m3lak;

namespace {

/// What each process sends up, and gets back, in an iteration (docs/scaling.md): the sums of the
/// local step, of β, of each gradient of each frequency, and the largest ‖h‖, with their sizes.
double predicted_bytes(const Problem& problem, const Options& options) {
  const double k = options.latent + options.private_latent, w = 2 * options.features + 1;
  const auto V = static_cast<double>(problem.views.size());
  const double D = std::accumulate(problem.features.begin(), problem.features.end(), 0.0);
  constexpr double number = 8, matrix = 16, message = 8;
  const double local = number * (D * k + V * (k * k + 1) + 3) + V * 2 * matrix + number + message;
  const double weights = number * (w * w + w) + 2 * matrix + message;
  const double gradient = number * (options.latent + 2) + matrix + message;
  const double gradients = options.features * (options.frequency_leapfrog + 1) * gradient;
  return local + weights + gradients + number + message;
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<World> world = start_mpi(argc, argv);
  if (!world || argc != 4) {
    fmt::print(stderr, "mpirun -n P processes_bench INSTANCES ITERATIONS full|mixed\n");
    return 2;
  }
  Options options = bench::of_the_table();
  options.precision = std::string(argv[3]) == "mixed" ? Precision::mixed : Precision::full;
  const Index N = std::stol(argv[1]);
  // All of the data is made, and the process's own part kept.
  Dataset all = bench::nus_wide(N);
  const Block rows = own_instances(N, world->share());
  std::vector<Index> places(static_cast<std::size_t>(rows.size));
  std::iota(places.begin(), places.end(), rows.begin);
  Dataset data = all.select(places);
  all = {};
  Workers alone(1, world.get());
  scale(Scaler::fit(alone, data, options.scaling, {}), options.precision, data);
  const Problem problem =
      prepare_training(alone, std::move(data), {rows.begin, N, world.get()},
                       options.latent + options.private_latent, options.precision);
  Chain chain(problem, options, alone, 0);
  chain.iterate();
  double best = 1e9, log_joint = 0;
  const std::uint64_t before = world->bytes_sent();
  const int iterations = std::stoi(argv[2]);
  for (int i = 0; i < iterations; ++i) {
    best = std::min(best, bench::seconds([&] { log_joint = chain.iterate().log_joint; }));
  }
  const auto sent = static_cast<double>(world->bytes_sent() - before) / iterations;
  const std::vector<double> of_all = values_of(*world, sent);
  if (!world->is_first()) return 0;
  fmt::print("{} {} {} {} {}\n", best, of_all.back(), of_all.front(),
             predicted_bytes(problem, options), log_joint);
  return 0;
}
