// How well each kind of move mixes: effective samples a second of the scores of a few training
// instances, for each choice of kernel on the same simulated data.
#include <fmt/format.h>

#include <chrono>
#include <functional>
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
  options.features = 50;
  options.iterations = 4000;
  options.burn_in = 500;
  options.chains = 2;
  fmt::print("A ring, 300 instances, 50 features in two views, m = 5, M = 50; 2 chains of 4000.\n");
  fmt::print("{:38}{:>10}{:>10}{:>14}{:>10}{:>10}\n", "", "h moved", "w moved", "effective of",
             "seconds", "a second");
  for (const Variant& variant : variants) {
    Options own = options;
    variant.change(own);
    const auto start = std::chrono::steady_clock::now();
    const Model model = fit(data, own);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double samples = effective(model);
    const TraceRow& last = model.trace().back();
    fmt::print("{:38}{:>10.2f}{:>10.2f}{:>8.0f} {:>5}{:>10.1f}{:>10.2f}\n", variant.name,
               last.latent_acceptance, last.frequency_acceptance, samples, model.draws().size(),
               seconds.count(), samples / seconds.count());
  }
}
