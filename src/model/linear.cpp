#include "model/linear.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <optional>

#include "model/augmentation.h"
#include "model/features.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

namespace {

/// So many coordinates are drawn at once: as many as there are of small data, where weights 1/λ
/// that differ by orders of magnitude make all of them correlated; fewer of large data, for the
/// time.
Index coordinates_at_once(Index instances) {
  return std::clamp((Index{1} << 17) / std::max(instances, Index{1}), Index{64}, Index{512});
}

/// Of all classes side by side: C² Σ x z zᵀ (lower triangles), and Σ pull z.
struct Sums {
  Matrix gram, pull;
};

template <class Kind>
void transfer(Kind& archive, Sums& sums) {
  archive(sums.gram, sums.pull);
}

void combine(Sums& into, const Sums& from) {
  into.gram += from.gram;
  into.pull += from.pull;
}

template <class Value>
class Draws : public LinearDraws {
 public:
  Draws(Workers& workers, const Problem& problem, const Options& options)
      : workers_(workers),
        problem_(problem),
        options_(options),
        groups_{problem.coordinates.cols(), std::clamp(problem.coordinates.cols(), Index{1},
                                                       coordinates_at_once(problem.total))},
        pull_(problem.y.rows(), problem.instances()),
        of_worker_(static_cast<std::size_t>(workers.threads())),
        sums_(Sums{Matrix::Zero(groups_.block_size, groups_.block_size * problem.y.rows()),
                   Matrix::Zero(groups_.block_size, problem.y.rows())}) {}

  void operator()(const Iteration& iteration, State& state) override {
    if (groups_.count == 0) return;
    draw_augmentation(iteration, state);
    step_.setZero(groups_.block_size, state.gamma.cols());
    for (Index g = 0; g < groups_.number(); ++g) {
      const Sums& sums = sums_(
          workers_, problem_.blocks,
          [&](const Block& block, Sums& sum, int worker) {
            Memory& memory = of_worker_[static_cast<std::size_t>(worker)];
            if (g > 0) take_step(block, groups_[g - 1], state, memory);
            add(block, groups_[g], state, sum, memory);
          },
          combine);
      for (Index c = 0; c < state.gamma.cols(); ++c) draw(iteration, groups_[g], c, sums, state);
    }
    for_each_block(workers_, problem_.blocks, [&](const Block& block, int worker) {
      take_step(block, groups_[groups_.number() - 1], state,
                of_worker_[static_cast<std::size_t>(worker)]);
    });
  }

 private:
  struct Memory {
    Panel<Value> h, f;
    Waves<Value> waves;
    DenseMatrix weighted;
    Vector change;
  };

  /// λ given f, and the pull (C + C² x) y - C² x f of each instance.
  void draw_augmentation(const Iteration& iteration, State& state) {
    const Eigen::MatrixX<Value> omega = state.omega.template cast<Value>();
    const FeatureWeights<Value> weights(state.beta);
    const double C = options_.C;
    for_each_block(workers_, problem_.blocks, [&](const Block& block, int worker) {
      auto& [h, f, at_h, weighted, change] = of_worker_[static_cast<std::size_t>(worker)];
      const auto columns = state.H.middleCols(block.begin, block.size);
      for (Index begin = 0; begin < block.size; begin += lanes<Value>) {
        take_columns<Value>(columns, begin, h);
        waves(omega, h, at_h);
        scores(weights, at_h, f);
        const Index count = std::min<Index>(lanes<Value>, block.size - begin);
        for (Index c = 0; c < f.rows(); ++c) {
          for (Index i = 0; i < count; ++i) {
            const Index n = block.begin + begin + i;
            const double y = problem_.y(c, n);
            const double score = static_cast<double>(f(c, i)) + state.linear(c, n);
            Stream stream = iteration.stream(Step::linear_augmentation, c, problem_.first + n);
            const double x = draw_inverse_lambda(stream, C, y, score);
            state.inverse_lambda(c, n) = x;
            pull_(c, n) = C * (1 + C * x) * y - C * C * x * score;
          }
        }
      }
    });
  }

  auto coordinates(const Block& block, const Block& group) const {
    return problem_.coordinates.block(block.begin, group.begin, block.size, group.size);
  }

  void add(const Block& block, const Block& group, const State& state, Sums& sum,
           Memory& memory) const {
    const auto z = coordinates(block, group);
    for (Index c = 0; c < state.gamma.cols(); ++c) {
      const auto x = state.inverse_lambda.row(c).segment(block.begin, block.size);
      memory.weighted.noalias() = (options_.C * options_.C * x.transpose()).asDiagonal() * z;
      auto gram = sum.gram.middleCols(c * groups_.block_size, groups_.block_size);
      add_outer<double>(z, memory.weighted, true, gram.topLeftCorner(group.size, group.size));
      sum.pull.col(c).head(group.size).noalias() +=
          z.transpose() * pull_.row(c).segment(block.begin, block.size).transpose();
    }
  }

  /// What the last draw of a group changed in the scores of a block.
  void take_step(const Block& block, const Block& group, State& state, Memory& memory) {
    const auto z = coordinates(block, group);
    for (Index c = 0; c < state.gamma.cols(); ++c) {
      memory.change.noalias() = z * step_.col(c).head(group.size);
      const auto segment = [&](Matrix& all) { return all.row(c).segment(block.begin, block.size); };
      segment(state.linear) += memory.change.transpose();
      segment(pull_).array() -= options_.C * options_.C * segment(state.inverse_lambda).array() *
                                memory.change.transpose().array();
    }
  }

  void draw(const Iteration& iteration, const Block& group, Index c, const Sums& sums,
            State& state) {
    auto gamma = state.gamma.col(c).segment(group.begin, group.size);
    precision_ = sums.gram.block(0, c * groups_.block_size, group.size, group.size)
                     .template selfadjointView<Eigen::Lower>();
    drawn_ = sums.pull.col(c).head(group.size) + precision_ * gamma;
    precision_.diagonal().array() += state.weight_precision / options_.linear_variance;
    const Eigen::LLT<Eigen::Ref<Matrix>> llt(precision_);
    Stream stream = iteration.stream(Step::linear_weights, c, group.index);
    drawn_ = normal_from_precision(stream, precision_, drawn_);
    step_.col(c).head(group.size) = drawn_ - gamma;
    gamma = drawn_;
  }

  Workers& workers_;
  const Problem& problem_;
  const Options& options_;
  Blocks groups_;  // of coordinates
  Matrix pull_;    // one row a class, one column an instance
  Matrix step_;    // what the last draw of a group changed; one column a class
  std::vector<Memory> of_worker_;
  Reduction<Sums> sums_;
  Matrix precision_;  // and its Cholesky factor
  Vector drawn_;
};

}  // namespace

std::unique_ptr<LinearDraws> linear_draws(Workers& workers, const Problem& problem,
                                          const Options& options) {
  if (options.precision == Precision::mixed) {
    return std::make_unique<Draws<float>>(workers, problem, options);
  }
  return std::make_unique<Draws<double>>(workers, problem, options);
}

}  // namespace m3lak
