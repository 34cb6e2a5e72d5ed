#include "rivals/mmh/training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "numeric/distributions.h"
#include "rivals/mmh/draws.h"

namespace m3lak::harmonium {

namespace {

/// No step changes a singular value of A by more than this (and momentum). Steps that are larger
/// overshoot: those of wide views, whose principal variances are large, and of a large C2.
constexpr double longest_step = 0.1;

/// It ends when the objectives of so many rounds, and the one before, are this close.
constexpr std::size_t rounds_to_compare = 5;
constexpr double close = 1e-3;

std::vector<Index> shuffled(Index count, Stream stream) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  return order;
}

class Training {
 public:
  Training(const DenseMatrix& x, const Vector& y, const std::vector<Wing>& wings,
           const Parameters& start, const MmhOptions& options, double C2)
      : x_(x), y_(y), wings_(wings), options_(options), C2_(C2) {
    learned_.parameters = start;
    learned_.machine.v = Vector::Zero(start.A.cols());
    velocity_ = {Matrix::Zero(start.A.rows(), start.A.cols()), Vector::Zero(start.A.rows())};
    project(learned_.parameters, wings_);
  }

  /// The best machine for the present μ. Returns (C1/2 ‖v‖² + C2 Σ hinge) / N.
  double machine_step() {
    if (C2_ == 0) return 0;
    const double C = C2_ / options_.C1;
    const Matrix mu = x_ * learned_.parameters.A;
    LinearMachine best = train_linear_machine(mu, y_, C);
    double least = objective(mu, y_, C, learned_.machine);
    if (const double now = objective(mu, y_, C, best); now <= least) {
      learned_.machine = std::move(best);
      least = now;
    }
    return options_.C1 * least / static_cast<double>(x_.rows());
  }

  /// Each instance once, a batch at a time. Returns the mean squared error of reconstructed cells.
  double epoch() {
    const Index N = x_.rows(), batches = (N + options_.batch - 1) / options_.batch;
    const std::vector<Index> order =
        shuffled(N, Stream({.seed = options_.seed, .iteration = epoch_, .step = draws::order}));
    double error = 0;
    for (Index k = 0; k < batches; ++k) {  // of sizes as equal as can be
      const Index begin = k * N / batches, end = (k + 1) * N / batches;
      const std::vector<Index> rows(order.begin() + begin, order.begin() + end);
      error += harmonium_step(rows, Stream({.seed = options_.seed,
                                            .iteration = epoch_,
                                            .step = draws::noise,
                                            .index = static_cast<std::uint64_t>(k)}));
    }
    ++epoch_;
    return error / static_cast<double>(std::max<Index>(1, x_.size()));
  }

  const Learned& learned() const { return learned_; }

 private:
  /// Returns the sum of squared errors of reconstructed cells.
  double harmonium_step(const std::vector<Index>& rows, Stream stream) {
    Parameters& now = learned_.parameters;
    const DenseMatrix x = x_(rows, Eigen::all);
    const Matrix mu = x * now.A;
    Matrix h(mu.rows(), mu.cols());
    fill_normal(stream, {h.data(), static_cast<std::size_t>(h.size())});
    h += mu;
    const Reconstruction reconstruction = reconstruct(now, wings_, h);
    Parameters step = likelihood_gradient(now, x, mu, reconstruction);
    if (C2_ > 0) step.A += C2_ * hinge_gradient(x, mu, y_(rows), learned_.machine);
    step.A -= options_.weight_decay * now.A;
    step.A *= options_.rate;
    limit(step.A, longest_step);

    velocity_.A = options_.momentum * velocity_.A + step.A;
    velocity_.offsets = options_.momentum * velocity_.offsets + options_.rate * step.offsets;
    now.A += velocity_.A;
    now.offsets += velocity_.offsets;
    // At once, not at the end of the round: without a density, the next step would lead nowhere.
    project(now, wings_);
    return (x - reconstruction.means).squaredNorm();
  }

  const DenseMatrix& x_;
  const Vector& y_;
  const std::vector<Wing>& wings_;
  const MmhOptions& options_;
  double C2_;
  Learned learned_;
  Parameters velocity_;
  std::uint64_t epoch_ = 0;
};

bool stands_still(const std::vector<double>& objectives) {
  if (objectives.size() <= rounds_to_compare) return false;
  const auto [least, most] =
      std::minmax_element(objectives.end() - rounds_to_compare - 1, objectives.end());
  return *most - *least < close;
}

}  // namespace

Learned learn(const DenseMatrix& x, const Vector& y, const std::vector<Wing>& wings,
              const Parameters& start, const MmhOptions& options, double C2,
              const std::function<bool()>& stop) {
  Training training(x, y, wings, start, options, C2);
  std::vector<double> objectives;
  for (int round = 0; round < options.rounds && !stands_still(objectives); ++round) {
    const double of_machine = training.machine_step();
    double error = 0;
    for (int i = 0; i < options.inner; ++i) {
      stop_if(stop);
      error = training.epoch();
    }
    objectives.push_back(of_machine + error);
  }
  training.machine_step();
  return training.learned();
}

}  // namespace m3lak::harmonium
