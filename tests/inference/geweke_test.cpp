#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "inference/exact_world.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

constexpr int replicates = sanitized ? 150 : 3500;
constexpr int moves = 8;

/// The smallest p-value over all functions of the state, and whose it is: is their mean after
/// `moves` iterations what it was in the exact draw before? The chain believes `chain_options`.
std::pair<double, std::string> worst_p(const Options& truth, const Options& chain_options,
                                       Index classes) {
  ExactWorld world(truth, classes);
  Workers workers(1);
  Chain chain(world.problem(), chain_options, workers, 0);
  std::map<std::string, std::vector<double>> differences;
  Stream stream({.seed = 7});
  for (int r = 0; r < replicates; ++r) {
    world.draw(stream, chain.state());
    const auto before = ExactWorld::features(world.problem(), chain.state());
    for (int i = 0; i < moves; ++i) {
      chain.iterate();
      world.draw_data(stream, chain.state());
    }
    const auto after = ExactWorld::features(world.problem(), chain.state());
    for (const auto& [name, value] : after) differences[name].push_back(value - before.at(name));
  }
  std::pair<double, std::string> worst{1, ""};
  for (const auto& [name, values] : differences) {
    worst = std::min(worst, {mean_p(values, 0), name});
  }
  return worst;
}

struct Kernel {
  Hmc hmc;
  bool integrate_private, integrate_augmentation;
  Sweep sweep;
  Index classes;
  Precision precision = Precision::full;
};

std::string name_of_kernel(const testing::TestParamInfo<Kernel>& info) {
  const Kernel& k = info.param;
  std::string name = k.hmc == Hmc::preconditioned ? "preconditioned"
                     : k.hmc == Hmc::plain        ? "plain"
                                                  : "authors";
  name += k.integrate_private ? "_u_out" : "_u_in";
  name += k.integrate_augmentation ? "_lambda_out" : "_lambda_in";
  name += k.sweep == Sweep::together ? "_together" : "_one_by_one";
  name += k.precision == Precision::mixed ? "_mixed" : "";
  return name + (k.classes == 0 ? "_unlabelled" : k.classes == 1 ? "" : "_three_classes");
}

void PrintTo(const Kernel& kernel, std::ostream* out) {
  *out << name_of_kernel(testing::TestParamInfo<Kernel>(kernel, 0));
}

class Geweke : public testing::TestWithParam<Kernel> {};

TEST_P(Geweke, StaysInThePosterior) {
  const Kernel& kernel = GetParam();
  Options options = exact_options();
  options.hmc = kernel.hmc;
  options.integrate_private = kernel.integrate_private;
  options.integrate_augmentation = kernel.integrate_augmentation;
  options.sweep = kernel.sweep;
  options.precision = kernel.precision;
  if (kernel.classes > 1) options.C = 0.2;  // or exact draws, with so many labels, take long
  const auto [p, function] = worst_p(options, options, kernel.classes);
  EXPECT_GT(p, error_rate) << function;
}

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  for (const Hmc hmc : {Hmc::preconditioned, Hmc::plain}) {
    for (const bool u_out : {true, false}) {
      for (const bool lambda_out : {true, false}) {
        for (const Sweep sweep : {Sweep::one_by_one, Sweep::together}) {
          kernels.push_back({hmc, u_out, lambda_out, sweep, 1});
        }
      }
    }
  }
  kernels.push_back({Hmc::preconditioned, true, true, Sweep::one_by_one, 0});
  kernels.push_back({Hmc::preconditioned, false, true, Sweep::together, 0});
  kernels.push_back({Hmc::authors, true, false, Sweep::one_by_one, 1});
  kernels.push_back({Hmc::preconditioned, true, true, Sweep::one_by_one, 3});
  kernels.push_back({Hmc::preconditioned, true, false, Sweep::together, 3});
  kernels.push_back({Hmc::preconditioned, true, true, Sweep::one_by_one, 1, Precision::mixed});
  kernels.push_back({Hmc::plain, false, false, Sweep::together, 1, Precision::mixed});
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(EveryKernel, Geweke, testing::ValuesIn(all_kernels()), name_of_kernel);

/// A chain that believes something slightly wrong must be caught.
struct Planted {
  std::string name;
  std::function<void(Options&)> plant;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class PlantedError : public testing::TestWithParam<Planted> {};

TEST_P(PlantedError, IsCaught) {
  if (sanitized) GTEST_SKIP() << "takes more replicates than a sanitizer has time for";
  const Options truth = exact_options();
  Options wrong = truth;
  GetParam().plant(wrong);
  EXPECT_LT(worst_p(truth, wrong, 1).first, error_rate);
}

INSTANTIATE_TEST_SUITE_P(
    Geweke, PlantedError,
    testing::Values(Planted{"C", [](Options& o) { o.C *= 1.3; }},
                    Planted{"label_weight", [](Options& o) { o.label_weight = 0.5; }},
                    Planted{"no_label_weight", [](Options& o) { o.label_weight = 0; }},
                    Planted{"noise_shape", [](Options& o) { o.noise_shape += 0.5; }},
                    Planted{"noise_rate", [](Options& o) { o.noise_rate *= 1.1; }},
                    Planted{"relevance_shape", [](Options& o) { o.relevance_shape += 0.5; }},
                    Planted{"relevance_rate", [](Options& o) { o.relevance_rate *= 1.1; }},
                    Planted{"private_precision", [](Options& o) { o.private_precision *= 1.3; }},
                    Planted{"linear_variance", [](Options& o) { o.linear_variance *= 1.5; }},
                    Planted{"weight_shape", [](Options& o) { o.weight_shape += 0.5; }},
                    Planted{"concentration", [](Options& o) { o.concentration_rate *= 1.2; }},
                    Planted{"base_mean", [](Options& o) { o.base_mean = 0; }},
                    Planted{"base_strength", [](Options& o) { o.base_strength *= 1.3; }},
                    Planted{"base_dof", [](Options& o) { o.base_dof += 1; }},
                    Planted{"base_scale", [](Options& o) { o.base_scale *= 1.15; }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace m3lak
