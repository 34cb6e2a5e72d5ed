// The paper's table of training times: NUS-WIDE's shape, 200 iterations, two leapfrog steps; and
// how time grows with N, by the best of several short runs at each size that take turns.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "inference/chain.h"
#include "m3lak/scaling.h"
#include "nus_wide.h"

namespace {

using namespace m3lak;

void table() {
  fmt::print("seconds for a whole fit of 200 iterations, all cores (paper: its MATLAB program)\n");
  fmt::print("{:>8} {:>10} {:>10} {:>10}\n", "N", "double", "mixed", "paper");
  const std::map<Index, double> paper = {{10'000, 5541}};
  for (const Index N : {1'000, 2'000, 3'000, 4'000, 5'000, 6'000, 7'000, 8'000, 9'000, 10'000}) {
    fmt::print("{:>8}", N);
    const Dataset data = bench::nus_wide(N);
    for (const Precision precision : {Precision::full, Precision::mixed}) {
      Options options = bench::of_the_table();
      options.precision = precision;
      fmt::print(" {:>10.2f}", bench::best_of(2, [&] { fit(data, options); }));
      std::fflush(stdout);
    }
    const auto found = paper.find(N);
    fmt::print(" {:>10}\n", found == paper.end() ? "" : fmt::format("{}", found->second));
  }
}

struct Running {
  Problem problem;
  Options options;
  std::unique_ptr<Chain> chain;
  double best = 1e9;
};

void growth(const char* name, Precision precision) {
  Workers workers;
  std::map<Index, Running> sizes;
  for (const Index N : {1'000, 10'000, 100'000}) {
    Running& running = sizes[N];
    running.options = bench::of_the_table();
    running.options.precision = precision;
    Dataset data = bench::nus_wide(N);
    Scaler::fit(data, running.options.scaling).apply(data);
    running.problem = prepare_training(
        std::move(data), running.options.latent + running.options.private_latent, precision);
    running.chain = std::make_unique<Chain>(running.problem, running.options, workers, 0);
  }
  for (int round = 0; round < 10; ++round) {
    for (auto& [N, running] : sizes) {
      const auto iterations = static_cast<int>(std::max<Index>(1, 30'000 / N));
      const double time = bench::seconds([&] {
        for (int i = 0; i < iterations; ++i) running.chain->iterate();
      });
      running.best = std::min(running.best, time / iterations);
    }
  }
  fmt::print("{:<8}", name);
  for (const auto& [N, running] : sizes) fmt::print(" {:>10.2f}", 1e3 * running.best);
  fmt::print(" {:>10.2f} {:>10.2f}\n", sizes[10'000].best / sizes[1'000].best,
             sizes[100'000].best / sizes[10'000].best);
}

}  // namespace

int main() {
  table();
  fmt::print("\nmilliseconds an iteration, all cores\n");
  fmt::print("{:<8} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "", "1,000", "10,000", "100,000",
             "10k / 1k", "100k / 10k");
  growth("double", Precision::full);
  growth("mixed", Precision::mixed);
}
