#include <cmath>
#include <optional>

#include "model/features.h"
#include "model/frequencies.h"
#include "model/frequency_trajectory.h"
#include "numeric/sincos.h"

namespace m3lak {

namespace {

/// Each frequency moves the scores of all instances a little: f = (f without it) + its own part.
/// Instances lie block by block in whole panels; what fills a block's last panel has no label.
template <class Value>
class OneByOne : public FrequencyMoves {
 public:
  OneByOne(Workers& workers, const Problem& problem, const Hinge& hinge)
      : workers_(workers),
        alone_(1, workers.cluster()),
        problem_(problem),
        hinge_(hinge),
        panels_a_block_((problem.blocks.block_size + width - 1) / width),
        of_worker_(static_cast<std::size_t>(workers.threads())) {
    const Index columns = width * panels_a_block_ * problem.blocks.number();
    for (auto* of_classes : {&y_, &inverse_lambda_, &f_, &without_, &proposed_}) {
      of_classes->setZero(problem.y.rows(), columns);
    }
    for (Index b = 0; b < problem.blocks.number(); ++b) spread(problem.y, problem.blocks[b], y_);
  }

  FrequencySweep operator()(const Iteration& iteration, const Move& move, State& state) override {
    begin(state);
    const Index m = state.omega.rows();
    const bool worth_sharing = problem_.instances() * (m + state.beta.cols()) >= work_worth_sharing;
    Workers& crew = worth_sharing ? workers_ : alone_;
    FrequencySweep sweep;
    for (Index j = 0; j < state.omega.cols(); ++j) {
      begin(state, j);
      memory_.omega = state.omega.col(j);
      draw_momenta(iteration, j, memory_);
      const Component* prior = &state.mixture.component_of(j);
      bool at_start = true;
      const FrequencyMoved moved =
          trajectory({&prior, 1}, move, memory_, [&](const Matrix& at) -> const FrequencyPull& {
            narrow_ = at.cast<Value>();
            const auto add = hinge_.integrated ? (at_start ? &OneByOne::add_pull<true, true>
                                                           : &OneByOne::add_pull<true, false>)
                                               : (at_start ? &OneByOne::add_pull<false, true>
                                                           : &OneByOne::add_pull<false, false>);
            usual_ = at.norm() * largest_h_ <= sincos_limit<Value>;
            const auto map = [&](const Block& block, FrequencyPull& sum, int worker) {
              (this->*add)(block, sum, of_worker_[static_cast<std::size_t>(worker)].gradient);
            };
            const FrequencyPull& pull = (*reduction_)(crew, problem_.blocks, map, combine);
            at_start = false;
            return pull;
          });
      const bool accepted = move.leapfrog > 0 && accept(iteration, j, moved.rise, sweep.acceptance);
      sweep.loss = accepted ? moved.last_loss : moved.first_loss;
      if (!accepted) continue;
      state.omega.col(j) = memory_.omega;
      f_.swap(proposed_);
    }
    return sweep;
  }

 private:
  static constexpr Index width = lanes<Value>;

  struct Memory {
    Panel<Value> h, f, linear;
    Waves<Value> waves;
    Eigen::VectorX<Value> gradient;  // in lanes
  };

  /// A block's columns, to their places.
  void spread(const Matrix& all, const Block& block, RowMatrix<Value>& out) const {
    out.middleCols(block.index * panels_a_block_ * width, block.size) =
        all.middleCols(block.begin, block.size).template cast<Value>();
  }

  /// A sweep: h in panels, and all scores.
  void begin(const State& state) {
    const Index m = state.H.rows();
    const Eigen::MatrixX<Value> omega = state.omega.template cast<Value>();
    const FeatureWeights<Value> weights(state.beta);
    h_.resize(m * width, panels_a_block_ * problem_.blocks.number());
    for_each_block(workers_, problem_.blocks, [&](const Block& block, int worker) {
      auto& [h, f, linear, at_h, gradient] = of_worker_[static_cast<std::size_t>(worker)];
      if (!hinge_.integrated) spread(state.inverse_lambda, block, inverse_lambda_);
      for (Index p = 0; p < panels_a_block_; ++p) {
        const Index panel = block.index * panels_a_block_ + p, begin = p * width;
        if (begin >= block.size) break;
        take_columns<Value>(state.H.middleCols(block.begin, block.size), begin, h);
        waves(omega, h, at_h);
        scores(weights, at_h, f);
        h_.col(panel) = h.template reshaped<Eigen::RowMajor>();
        take_columns<Value>(state.linear.middleCols(block.begin, block.size), begin, linear);
        f_.middleCols(panel * width, width) = f + linear;
      }
    });
    double largest = 0;
    if (state.H.cols() > 0) largest = std::sqrt(state.H.colwise().squaredNorm().maxCoeff());
    if (Cluster* cluster = workers_.cluster()) {
      sum_over(*cluster, largest, [](double& a, double b) { a = std::max(a, b); });
    }
    largest_h_ = largest;
    if (!reduction_) reduction_.emplace(FrequencyPull{0, 0, Matrix::Zero(m, 1)});
  }

  /// From now on, frequency j moves; the pull at its present place comes first.
  void begin(const State& state, Index j) {
    const Index M = state.omega.cols();
    const double root = std::sqrt(static_cast<double>(M));
    cos_weights_ = (state.beta.row(j).transpose() / root).template cast<Value>();
    sin_weights_ = (state.beta.row(M + j).transpose() / root).template cast<Value>();
  }

  /// The pull of a block. At the start of a trajectory the frequency is taken out of the scores
  /// first; later on, the scores where it is now are kept in case that it stays there.
  template <bool integrated, bool at_start>
  void add_pull(const Block& block, FrequencyPull& sum, Eigen::VectorX<Value>& gradient) {
    gradient.setZero(narrow_.size() * width);
    Totals totals;
    const Index first = block.index * panels_a_block_;
    const Index panels = (block.size + width - 1) / width;
    in_pieces<4>(panels, [&](Index panel, auto count) {
      add_panels<integrated, at_start, count()>(first + panel, totals, gradient);
    });
    sum.energy += totals.energy.sum();
    sum.loss += totals.loss.sum();
    for (Index i = 0; i < narrow_.size(); ++i) {
      sum.gradient(i) += static_cast<double>(gradient.template segment<width>(i * width).sum());
    }
  }

  struct Totals {
    using Sums = Eigen::Array<double, width, 1>;
    Sums energy = Sums::Zero(), loss = Sums::Zero();

    static void add(const Lanes<Value>& values, Sums& sums) {
      sums +=
          Eigen::Map<const Eigen::Array<Value, width, 1>>(reinterpret_cast<const Value*>(&values))
              .template cast<double>();
    }
  };

  /// So many panels at once that one can be computed while another waits.
  template <bool integrated, bool at_start, int count>
  void add_panels(Index panel, Totals& totals, Eigen::VectorX<Value>& gradient) {
    const Hinge hinge{hinge_.C, integrated};
    const Index m = narrow_.size(), place = panel * width;
    const Value* h[count];
    for (int v = 0; v < count; ++v) h[v] = h_.col(panel + v).data();

    Lanes<Value> angle[count] = {}, cos[count], sin[count], turn[count] = {};
    for (Index i = 0; i < m; ++i) {
      for (int v = 0; v < count; ++v) angle[v] += narrow_[i] * load(h[v] + i * width);
    }
    for (int v = 0; v < count; ++v) {
      if (usual_) {
        sincos<Value>(angle[v], sin[v], cos[v]);
      } else {
        sincos_of_any<Value>(angle[v], sin[v], cos[v]);
      }
    }
    for (Index c = 0; c < f_.rows(); ++c) {
      const Value a = cos_weights_[c], b = sin_weights_[c];
      for (int v = 0; v < count; ++v) {
        const Index at = place + v * width;
        const Lanes<Value> own = a * cos[v] + b * sin[v];
        Lanes<Value> f;
        if constexpr (at_start) {
          f = load(&f_(c, at));
          store(&without_(c, at), f - own);
        } else {
          f = load(&without_(c, at)) + own;
          store(&proposed_(c, at), f);
        }
        const Lanes<Value> y = load(&y_(c, at));
        Lanes<Value> x = {};
        if constexpr (!integrated) x = load(&inverse_lambda_(c, at));
        Totals::add(hinge.energy(y, f, x), totals.energy);
        Totals::add(hinge_loss(y, f), totals.loss);
        turn[v] += hinge.slope(y, f, x) * (b * cos[v] - a * sin[v]);
      }
    }
    for (Index i = 0; i < m; ++i) {
      Lanes<Value> sum = load(&gradient[i * width]);
      for (int v = 0; v < count; ++v) sum += turn[v] * load(h[v] + i * width);
      store(&gradient[i * width], sum);
    }
  }

  Workers& workers_;
  Workers alone_;
  const Problem& problem_;
  Hinge hinge_;
  Index panels_a_block_;
  double largest_h_ = 0;
  bool usual_ = true;  // no angle is beyond what sincos is made for

  Eigen::MatrixX<Value> h_;                                       // one column a panel
  RowMatrix<Value> y_, inverse_lambda_, f_, without_, proposed_;  // one row a class
  Eigen::VectorX<Value> narrow_, cos_weights_, sin_weights_;      // of the one that moves
  std::vector<Memory> of_worker_;
  FrequencyMemory memory_;
  std::optional<Reduction<FrequencyPull>> reduction_;
};

}  // namespace

template <class Value>
std::unique_ptr<FrequencyMoves> frequencies_one_by_one(Workers& workers, const Problem& problem,
                                                       const Hinge& hinge) {
  return std::make_unique<OneByOne<Value>>(workers, problem, hinge);
}

template std::unique_ptr<FrequencyMoves> frequencies_one_by_one<double>(Workers&, const Problem&,
                                                                        const Hinge&);
template std::unique_ptr<FrequencyMoves> frequencies_one_by_one<float>(Workers&, const Problem&,
                                                                       const Hinge&);

}  // namespace m3lak
