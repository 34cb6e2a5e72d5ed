#include "rivals/mmh/mmh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "m3lak/error.h"
#include "rivals/mmh/start.h"
#include "rivals/mmh/training.h"
#include "rivals/mmh/visible.h"

namespace m3lak {

namespace {

constexpr std::array grid = {0.01, 0.1, 1.0, 10.0, 100.0};  // of C2

/// The score vᵀAᵀx + b, as one linear function of x.
class MmhMachine : public Machine {
 public:
  MmhMachine(std::shared_ptr<const harmonium::Visible> visible, const harmonium::Learned& learned)
      : visible_(std::move(visible)),
        weights_(learned.parameters.A * learned.machine.v),
        bias_(learned.machine.b) {}

  Vector scores(const Dataset& data, Workers& workers) const override {
    return ((*visible_)(data, workers) * weights_).array() + bias_;
  }

 private:
  std::shared_ptr<const harmonium::Visible> visible_;
  Vector weights_;
  double bias_;
};

class Mmh : public Rival {
 public:
  explicit Mmh(const MmhOptions& options) : options_(options) {}

  std::size_t settings() const override { return options_.C2 > 0 ? 1 : grid.size(); }

  std::string describe(std::size_t setting) const override {
    return fmt::format("C1 = {}, C2 = {}", options_.C1, C2(setting));
  }

  double bytes(const Size& training, int) const override {
    const auto N = static_cast<double>(training.instances);
    const auto D = static_cast<double>(
        std::accumulate(training.features.begin(), training.features.end(), Index{0}));
    const auto m = static_cast<double>(options_.latent);
    const double batch = std::min(N, static_cast<double>(options_.batch));
    const double smaller = std::min(N, D);
    // At the start: the rows, centred and turned, and three matrices of the smaller size.
    const double start = 3 * N * D + 3 * smaller * smaller + 2 * D * m;
    // Later, for all settings at once: parameters, velocity, step and their like; a batch with what
    // is made of it; the machine's matrices of one row an instance.
    const double each = 6 * D * m + 4 * batch * D + 3 * N * (m + 1) + 16 * N;
    const double learning = N * D + static_cast<double>(settings()) * each;
    return sizeof(double) * std::max(start, learning);
  }

  std::vector<std::unique_ptr<Machine>> train(const Dataset& training, const Vector& y,
                                              std::span<const std::size_t> settings,
                                              Workers& workers,
                                              const std::function<bool()>& stop) const override {
    stop_if(stop);
    const auto visible = std::make_shared<const harmonium::Visible>(training);
    const DenseMatrix x = (*visible)(training, workers);
    const harmonium::Parameters start =
        harmonium::principal_start(workers, x, visible->wings(), options_.latent, options_.seed);
    std::vector<std::unique_ptr<Machine>> machines(settings.size());
    workers.run(std::ssize(settings), [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      machines[k] = std::make_unique<MmhMachine>(
          visible,
          harmonium::learn(x, y, visible->wings(), start, options_, C2(settings[k]), stop));
    });
    return machines;
  }

 private:
  double C2(std::size_t setting) const { return options_.C2 > 0 ? options_.C2 : grid.at(setting); }

  MmhOptions options_;
};

template <class Value>
void require(bool is_right, const char* field, Value value, const char* rule) {
  if (!is_right) throw BadUsage(fmt::format("mmh: {} = {}: must be {}", field, value, rule));
}

}  // namespace

void MmhOptions::check() const {
  require(latent >= 1, "latent", latent, "at least 1");
  require(rounds >= 0, "rounds", rounds, "at least 0");
  require(inner >= 1, "inner", inner, "at least 1");
  require(batch >= 1, "batch", batch, "at least 1");
  require(momentum >= 0 && momentum < 1, "momentum", momentum, "at least 0 and less than 1");
  require(rate > 0, "rate", rate, "more than 0");
  require(weight_decay >= 0, "weight_decay", weight_decay, "at least 0");
  require(C1 > 0, "C1", C1, "more than 0");
  require(C2 >= 0, "C2", C2, "at least 0");
}

std::unique_ptr<Rival> mmh(MmhOptions options) {
  options.check();
  return std::make_unique<Mmh>(options);
}

}  // namespace m3lak
