#include "model/weights_together.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "model/features.h"
#include "model/hinge.h"
#include "numeric/distributions.h"
#include "numeric/hmc.h"

namespace m3lak {

namespace {

/// The hinge of all instances, and its gradient by the weights.
struct Pull {
  double energy = 0;
  Vector gradient;
};

template <class Kind>
void transfer(Kind& archive, Pull& pull) {
  archive(pull.energy, pull.gradient);
}

void combine(Pull& into, const Pull& from) {
  into.energy += from.energy;
  into.gradient += from.gradient;
}

/// The curvature of the hinge where its corner is rounded about as widely as the posterior is.
double curvature(double C, double y, double f) {
  constexpr double sharpness = 4;
  if (y == 0) return 0;
  const double share = 1 / (1 + std::exp(-sharpness * (1 - y * f)));
  return 2 * C * sharpness * share * (1 - share);
}

template <class Value>
class Moves : public WeightMoves {
 public:
  Moves(Workers& workers, const Problem& problem, const Options& options)
      : workers_(workers),
        alone_(1, workers.cluster()),
        problem_(problem),
        options_(options),
        of_features_(2 * options.features + 1),
        weights_(of_features_ + problem.coordinates.cols()),
        rows_(problem.instances(), padded<Value>(weights_)),
        of_worker_(static_cast<std::size_t>(workers.threads())),
        pull_(Pull{0, Vector::Zero(weights_)}) {
    rows_.setZero();
    if (weights_ > of_features_) {  // else the coordinates may have no rows either
      rows_.middleCols(of_features_, weights_ - of_features_) =
          problem.coordinates.template cast<Value>();
    }
    const Matrix prior = prior_precision(options.weight_precision).cwiseSqrt().asDiagonal();
    factors_.assign(static_cast<std::size_t>(problem.y.rows()), prior);
  }

  void aim(const State& state) override {
    set_features(state);
    Reduction<Matrix> reduction(Matrix::Zero(weights_, weights_));
    for (Index c = 0; c < problem_.y.rows(); ++c) {
      take(state, c);
      narrow_ = w_.template cast<Value>();
      Matrix& metric = reduction(
          workers_, problem_.blocks,
          [&](const Block& block, Matrix& sum, int worker) {
            Memory& memory = of_worker_[static_cast<std::size_t>(worker)];
            const auto rows = rows_of(block);
            memory.f.noalias() = rows * narrow_;
            memory.weighted = rows;
            for (Index n = 0; n < block.size; ++n) {
              memory.weighted.row(n) *= static_cast<Value>(curvature(
                  options_.C, problem_.y(c, block.begin + n), static_cast<double>(memory.f[n])));
            }
            memory.gram.setZero(weights_, weights_);
            add_outer<Value>(rows, memory.weighted, true, memory.gram);
            sum += memory.gram.template cast<double>();
          },
          [](Matrix& into, const Matrix& from) { into += from; });
      metric.diagonal() += prior_precision(state.weight_precision);
      factors_[static_cast<std::size_t>(c)] = metric.llt().matrixL();
    }
  }

  Acceptance operator()(const Iteration& iteration, const Move& move, State& state) override {
    set_features(state);
    const Vector prior = prior_precision(state.weight_precision);
    const bool worth_sharing = rows_.size() >= work_worth_sharing;
    Workers& crew = worth_sharing ? workers_ : alone_;
    Acceptance acceptances;
    for (Index c = 0; c < problem_.y.rows(); ++c) {
      const auto L = factors_[static_cast<std::size_t>(c)].template triangularView<Eigen::Lower>();
      const auto U =
          factors_[static_cast<std::size_t>(c)].transpose().template triangularView<Eigen::Upper>();
      Stream stream = iteration.stream(Step::weights_together, c);
      p_.resize(weights_);
      fill_normal(stream, {p_.data(), static_cast<std::size_t>(weights_)});
      // Steps of various sizes, so that no direction comes back to its start again and again.
      const double step = move.step * (0.75 + 0.5 * stream.uniform());

      take(state, c);
      q_ = U * w_;
      const double before = 0.5 * p_.squaredNorm();
      const auto ends = leapfrog(
          q_, p_, step, move.leapfrog, trajectory_, [&](const Vector& at, Vector& gradient) {
            w_ = at;
            U.solveInPlace(w_);
            const Pull& pull = pull_at(crew, c);
            gradient = pull.gradient + prior.cwiseProduct(w_);
            const double energy = pull.energy + 0.5 * prior.dot(w_.cwiseAbs2());
            L.solveInPlace(gradient);
            return energy;
          });
      const double probability =
          acceptance(ends.last - ends.first + 0.5 * p_.squaredNorm() - before);
      acceptances += {probability, 1};
      if (stream.uniform() < probability) put(crew, c, state);
    }
    return acceptances;
  }

  std::vector<Matrix>& metric() override { return factors_; }

 private:
  struct Memory {
    WaveRows<Value> waves;
    RowMatrix<Value> h, phi, weighted;
    Eigen::MatrixX<Value> gram;
    Eigen::VectorX<Value> f, slope, gradient;
  };

  auto rows_of(const Block& block) const {
    return rows_.block(block.begin, 0, block.size, weights_);
  }

  void set_features(const State& state) {
    const RowMatrix<Value> omega = padded<Value>(state.omega);
    for_each_block(workers_, problem_.blocks, [&](const Block& block, int worker) {
      Memory& memory = of_worker_[static_cast<std::size_t>(worker)];
      memory.h = state.H.middleCols(block.begin, block.size).transpose().template cast<Value>();
      waves<Value>(omega, memory.h, memory.waves);
      features(memory.waves, options_.features, memory.phi);
      rows_.block(block.begin, 0, block.size, of_features_) = memory.phi.leftCols(of_features_);
    });
  }

  Vector prior_precision(double v) const {
    Vector precision = Vector::Constant(weights_, v);
    precision.tail(weights_ - of_features_) /= options_.linear_variance;
    return precision;
  }

  void take(const State& state, Index c) {
    w_.resize(weights_);
    w_ << state.beta.col(c), state.gamma.col(c);
  }

  void put(Workers& crew, Index c, State& state) {
    state.beta.col(c) = w_.head(of_features_);
    if (weights_ == of_features_) return;
    state.gamma.col(c) = w_.tail(weights_ - of_features_);
    for_each_block(crew, problem_.blocks, [&](const Block& block) {
      const auto z = problem_.coordinates.middleRows(block.begin, block.size);
      state.linear.row(c).segment(block.begin, block.size).transpose().noalias() =
          z * state.gamma.col(c);
    });
  }

  const Pull& pull_at(Workers& crew, Index c) {
    narrow_ = w_.template cast<Value>();
    const Hinge hinge{options_.C, true};
    return pull_(
        crew, problem_.blocks,
        [&](const Block& block, Pull& sum, int worker) {
          Memory& memory = of_worker_[static_cast<std::size_t>(worker)];
          const auto rows = rows_of(block);
          memory.f.noalias() = rows * narrow_;
          memory.slope.resize(block.size);
          for (Index n = 0; n < block.size; ++n) {
            const double y = problem_.y(c, block.begin + n);
            const auto f = static_cast<double>(memory.f[n]);
            sum.energy += hinge.energy(y, f, 0.0);
            memory.slope[n] = static_cast<Value>(hinge.slope(y, f, 0.0));
          }
          memory.gradient.noalias() = rows.transpose() * memory.slope;
          sum.gradient += memory.gradient.template cast<double>();
        },
        combine);
  }

  Workers& workers_;
  Workers alone_;
  const Problem& problem_;
  const Options& options_;
  Index of_features_, weights_;
  RowMatrix<Value> rows_;  // (φ, 1, z) of each instance
  std::vector<Memory> of_worker_;
  Reduction<Pull> pull_;
  std::vector<Matrix> factors_;  // Cholesky factors of the metric of each class
  Vector w_, q_, p_;
  Eigen::VectorX<Value> narrow_;
  TrajectoryMemory<Vector> trajectory_;
};

}  // namespace

std::unique_ptr<WeightMoves> weight_moves(Workers& workers, const Problem& problem,
                                          const Options& options) {
  if (options.precision == Precision::mixed) {
    return std::make_unique<Moves<float>>(workers, problem, options);
  }
  return std::make_unique<Moves<double>>(workers, problem, options);
}

double weight_moves_memory(const Problem& problem, const Options& options) {
  const auto weights = static_cast<double>(2 * options.features + 1 + problem.coordinates.cols());
  const double value = options.precision == Precision::mixed ? sizeof(float) : sizeof(double);
  return weights * (value * static_cast<double>(problem.total) +
                    sizeof(double) * weights * static_cast<double>(problem.y.rows()));
}

}  // namespace m3lak
