// Sine and cosine of an array that stays in cache: φ of 64 instances at 100 frequencies.
// Time per value is the reciprocal of items_per_second.
#include "numeric/sincos.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

namespace m3lak {
namespace {

constexpr std::size_t count = 100 * 64;

template <class Value, class Work>
void run(benchmark::State& state, const Work& work) {
  std::vector<Value> x(count), sin(count), cos(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<Value>(10 * std::sin(1.7 * double(i)));
  for (auto _ : state) {
    work(x.data(), count, sin.data(), cos.data());
    benchmark::DoNotOptimize(sin.data());
    benchmark::DoNotOptimize(cos.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

template <class Value>
void standard(const Value* x, std::size_t n, Value* sin, Value* cos) {
  for (std::size_t i = 0; i < n; ++i) {
    sin[i] = std::sin(x[i]);
    cos[i] = std::cos(x[i]);
  }
}

template <class Value, class Work>
void add(const std::string& name, const Work& work) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work](benchmark::State& state) { run<Value>(state, work); });
}

}  // namespace
}  // namespace m3lak

int main(int argc, char** argv) {
  using namespace m3lak;
  add<double>("double/standard", standard<double>);
  for (const SincosKernel& kernel : sincos_kernels()) {
    add<double>(std::string("double/") + kernel.name, kernel.of_double);
  }
  add<float>("float/standard", standard<float>);
  for (const SincosKernel& kernel : sincos_kernels()) {
    add<float>(std::string("float/") + kernel.name, kernel.of_float);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
