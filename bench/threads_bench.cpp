// Two threads against one: seconds an iteration at N = 10,000 of NUS-WIDE's shape, the runs taking
// turns, best of several.
#include <fmt/format.h>

#include "inference/chain.h"
#include "m3lak/scaling.h"
#include "nus_wide.h"

namespace {

using namespace m3lak;

void run(const char* name, Precision precision) {
  Options options = bench::of_the_table();
  options.precision = precision;
  Dataset data = bench::nus_wide(10'000);
  Scaler::fit(data, options.scaling).apply(data);
  const Problem problem =
      prepare_training(std::move(data), options.latent + options.private_latent, precision);
  Workers alone(1), both(2);
  Chain one(problem, options, alone, 0), two(problem, options, both, 0);
  constexpr int iterations = 10, rounds = 12;
  double with_one = 1e9, with_two = 1e9;
  const auto iterate = [&](Chain& chain) {
    return bench::seconds([&] {
      for (int i = 0; i < iterations; ++i) chain.iterate();
    });
  };
  for (int round = 0; round < rounds; ++round) {
    with_one = std::min(with_one, iterate(one) / iterations);
    with_two = std::min(with_two, iterate(two) / iterations);
  }
  fmt::print("{:<8} {:>10.1f} {:>10.1f} {:>8.2f}\n", name, 1e3 * with_one, 1e3 * with_two,
             with_one / with_two);
}

}  // namespace

int main() {
  fmt::print("milliseconds an iteration, N = 10,000 of NUS-WIDE's shape\n");
  fmt::print("{:<8} {:>10} {:>10} {:>8}\n", "", "1 thread", "2 threads", "ratio");
  run("double", Precision::full);
  run("mixed", Precision::mixed);
}
