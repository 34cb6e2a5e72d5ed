// How well each kind of move mixes: effective samples a second of the scores of a few training
// instances, for each choice of kernel on the same simulated data.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "inference/diagnostics.h"
#include "m3lak/model.h"
#include "m3lak/simulate.h"

namespace {

using namespace m3lak;

struct Variant {
  const char* name;
  std::function<void(Options&)> change;
};

const std::vector<Variant> variants = {
    {"default", [](Options&) {}},
    {"plain HMC", [](Options& o) { o.hmc = Hmc::plain; }},
    {"authors' schedule, 2 leapfrog steps",
     [](Options& o) {
       o.hmc = Hmc::authors;
       o.latent_leapfrog = o.frequency_leapfrog = 2;
     }},
    {"weights given lambda alone", [](Options& o) { o.weight_leapfrog = 0; }},
    {"u not integrated out", [](Options& o) { o.integrate_private = false; }},
    {"lambda not integrated out", [](Options& o) { o.integrate_augmentation = false; }},
    {"all frequencies together", [](Options& o) { o.sweep = Sweep::together; }},
    {"together, 10 leapfrog steps",
     [](Options& o) {
       o.sweep = Sweep::together;
       o.frequency_leapfrog = 10;
     }},
    {"1 leapfrog step each", [](Options& o) { o.latent_leapfrog = o.frequency_leapfrog = 1; }},
    {"6 leapfrog steps each", [](Options& o) { o.latent_leapfrog = o.frequency_leapfrog = 6; }},
    {"label weight 0", [](Options& o) { o.label_weight = 0; }},
};

/// Over the probes, the mean of their effective samples.
double effective(const Model& model) {
  const Index probes = model.trace().front().probes.size();
  double sum = 0;
  for (Index i = 0; i < probes; ++i) {
    Chains chains(static_cast<std::size_t>(model.options().chains));
    for (const TraceRow& row : model.trace()) {
      if (row.kept) chains[static_cast<std::size_t>(row.chain)].push_back(row.probes[i]);
    }
    sum += effective_samples(chains);
  }
  return sum / static_cast<double>(probes);
}

}  // namespace

int main() {
  SimulationOptions world;
  world.instances = 300;
  world.boundary = Boundary::ring;
  const Dataset data = simulate(world);
  Options options;
  options.latent = 5;
  options.linear = 0;
  options.label_weight = 1;
  options.scaling = Scaling::standardize;
  options.calibrate = false;
  options.thin = 1;
  options.features = 50;
  options.iterations = 4000;
  options.burn_in = 500;
  options.chains = 2;
  fmt::print("A ring, 300 instances, 50 features in two views, m = 5, M = 50; 2 chains of 4000;\n");
  fmt::print("means over three seeds, and the range of the last column.\n");
  fmt::print("{:38}{:>8}{:>8}{:>11}{:>9}{:>10}{:>14}\n", "", "h moved", "w moved", "effective",
             "seconds", "a second", "range");
  for (const Variant& variant : variants) {
    double latent = 0, frequency = 0, samples = 0, seconds = 0;
    std::vector<double> rates;
    for (const std::uint64_t seed : {1, 2, 3}) {
      Options own = options;
      own.seed = seed;
      variant.change(own);
      const auto start = std::chrono::steady_clock::now();
      const Model model = fit(data, own);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      const double found = effective(model);
      latent += model.trace().back().latent_acceptance / 3;
      frequency += model.trace().back().frequency_acceptance / 3;
      samples += found / 3;
      seconds += passed.count() / 3;
      rates.push_back(found / passed.count());
    }
    std::ranges::sort(rates);
    fmt::print("{:38}{:>8}{:>8.2f}{:>11.0f}{:>9.1f}{:>10.1f}{:>14}\n", variant.name,
               std::isnan(latent) ? "exact" : fmt::format("{:.2f}", latent), frequency, samples,
               seconds, samples / seconds, fmt::format("{:.1f}-{:.1f}", rates[0], rates[2]));
  }
}
