// Instances a second with 200 draws, NUS-WIDE's shape.
#include <fmt/format.h>

#include "nus_wide.h"

int main() {
  using namespace m3lak;
  const Dataset training = bench::nus_wide(1'000), data = bench::nus_wide(20'000);
  fmt::print("instances a second, 200 draws, NUS-WIDE's shape, 20,000 instances\n");
  fmt::print("{:<8} {:>12} {:>12}\n", "", "1 thread", "2 threads");
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    Options options = bench::of_the_table();
    options.iterations = 210;
    options.burn_in = 10;
    options.precision = precision;
    const Model model = fit(training, options);
    double best[] = {1e9, 1e9};
    for (int round = 0; round < 5; ++round) {
      for (const int threads : {1, 2}) {
        double& time = best[threads - 1];
        time = std::min(time, bench::seconds([&] { model.predict(data, threads); }));
      }
    }
    fmt::print("{:<8} {:>12.0f} {:>12.0f}\n", precision == Precision::full ? "double" : "mixed",
               20'000 / best[0], 20'000 / best[1]);
  }
}
