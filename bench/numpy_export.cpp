// For numpy_bench.py: writes a state and the sums, energies and gradients that m3lak computes of
// it, as .npy files, and prints the time of an iteration with one thread.
//   numpy_export DIR INSTANCES
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "data/formats/npy/npy_header.h"
#include "inference/chain.h"
#include "m3lak/io.h"
#include "m3lak/scaling.h"
#include "model/latent.h"
#include "nus_wide.h"

namespace {

using namespace m3lak;
namespace fs = std::filesystem;

void write(const fs::path& path, const DenseMatrix& values) {
  std::ofstream out(path, std::ios::binary);
  out << npy_header("<f8", {static_cast<std::uint64_t>(values.rows()),
                            static_cast<std::uint64_t>(values.cols())});
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(static_cast<std::size_t>(values.size()) * sizeof(double)));
}

/// By the same code as the sampler: the pull of each panel, with no Gaussian part.
void write_latent_pull(const fs::path& dir, const Problem& problem, const State& state, double C) {
  const Index m = state.H.rows(), N = state.H.cols();
  const LatentGaussian gaussian{Matrix::Identity(m, m), Matrix::Identity(m, m)};
  const LatentPotential<double> potential(gaussian, state.omega, state.beta, {C, true}, 1,
                                          {Hmc::plain, 0.1, 1});
  LatentPotential<double>::Memory memory;
  Panel<double> place, gradient;
  DenseMatrix energies(N, 1), gradients(N, m), scores(N, 1);
  for (Index begin = 0; begin < N; begin += lanes<double>) {
    const Index count = std::min<Index>(lanes<double>, N - begin);
    take_columns<double>(state.H, begin, place);
    take_columns<double>(problem.y, begin, memory.y);
    take_columns<double>(state.inverse_lambda, begin, memory.inverse_lambda);
    const auto energy = potential.pull(place, gradient, memory);
    energies.middleRows(begin, count) = energy.head(count).matrix().transpose();
    gradients.middleRows(begin, count) = gradient.leftCols(count).transpose();
    scores.middleRows(begin, count) = memory.f.leftCols(count).transpose();
  }
  write(dir / "latent_energy.npy", energies);
  write(dir / "latent_gradient.npy", gradients);
  write(dir / "scores.npy", scores);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const fs::path dir = argv[1];
  Options options = bench::of_the_table();
  options.burn_in = 1000;
  Dataset data = bench::nus_wide(std::stol(argv[2]));
  write_dataset(data, dir / "data.npz", FileFormat::npz);
  Scaler::fit(data, options.scaling).apply(data);
  const Problem problem =
      prepare_training(std::move(data), options.latent + options.private_latent, Precision::full);
  Workers alone(1);
  Chain chain(problem, options, alone, 0);
  for (int i = 0; i < 10; ++i) chain.iterate();

  State& state = chain.state();
  const auto number = [](const char* name, std::size_t i) {
    return fmt::format("{}_{}.npy", name, i);
  };
  const auto sums = local_step(alone, problem, options);
  const Statistics& statistics = sums->collect(state);
  for (std::size_t i = 0; i < problem.views.size(); ++i) {
    write(dir / number("X", i), problem.views[i].dense());
    write(dir / number("U", i), state.U[i].transpose());
    write(dir / number("zz", i), statistics.views[i].zz);
    write(dir / number("xz", i), statistics.views[i].xz);
  }
  write(dir / "H.npy", state.H.transpose());
  write(dir / "y.npy", problem.y.transpose());
  write(dir / "omega.npy", state.omega.transpose());
  write(dir / "C.npy", DenseMatrix::Constant(1, 1, options.C));
  write(dir / "beta.npy", state.beta);
  write_latent_pull(dir, problem, state, options.C);
  fmt::print("{}\n", bench::best_of(5, [&] {
                       for (int i = 0; i < 5; ++i) chain.iterate();
                     }) / 5);
}
