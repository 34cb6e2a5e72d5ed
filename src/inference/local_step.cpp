#include "inference/local_step.h"

#include <Eigen/Cholesky>

#include "data/view_algebra.h"
#include "model/evidence.h"
#include "model/latent.h"
#include "model/missing_cells.h"
#include "model/private_latent.h"

namespace m3lak {

namespace {

void combine(LocalSums& into, const LocalSums& from) {
  into.statistics += from.statistics;
  into.acceptance += from.acceptance;
  into.squares += from.squares;
}

template <class Value>
class LocalStepIn : public LocalStep {
 public:
  LocalStepIn(Workers& workers, const Problem& problem, const Options& options)
      : workers_(workers),
        problem_(problem),
        options_(options),
        views_(problem.views.size()),
        of_worker_(static_cast<std::size_t>(workers.threads())),
        sums_({Statistics::zero(problem, options.latent, options.private_latent), {}, 0}) {}

  const LocalSums& operator()(const Iteration& iteration, const Move& move, State& state) override {
    share(move, state);
    return sums_(
        workers_, problem_.blocks,
        [&](const Block& block, LocalSums& sum, int worker) {
          Memory& memory = of_worker_[static_cast<std::size_t>(worker)];
          for (const Segment& segment : problem_.segments[static_cast<std::size_t>(block.index)]) {
            segment_step(iteration, segment, state, sum, memory);
          }
        },
        combine);
  }

  const Statistics& collect(State& state) override {
    const auto map = [&](const Block& block, LocalSums& sum, int worker) {
      auto& statistics = of_worker_[static_cast<std::size_t>(worker)].statistics;
      for (const Segment& segment : problem_.segments[static_cast<std::size_t>(block.index)]) {
        const auto& has = problem_.patterns[static_cast<std::size_t>(segment.pattern)];
        statistics.begin(state, segment);
        for (std::size_t i = 0; i < has.size(); ++i) {
          if (!has[i]) continue;
          statistics.stacked(state, i);
          statistics.add(problem_, state, i, sum.statistics.views[i]);
        }
      }
    };
    return sums_(workers_, problem_.blocks, map, combine).statistics;
  }

 private:
  /// What all instances share of a view, as products want it.
  struct SharedView {
    Evidence evidence;
    RowMatrix<Value> projection;  // [W V], columns padded
    RowMatrix<Value> reading;     // transposed, columns padded
  };

  struct Memory {
    std::vector<RowMatrix<Value>> reads;  // of each view: [W V]ᵀx, one row an instance
    RowMatrix<Value> b;
    Matrix Vx, normals, z;
    typename LatentPotential<Value>::Memory latent;
    SegmentStatistics<Value> statistics;
  };

  void share(const Move& move, const State& state) {
    const Index m = state.H.rows();
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const ViewState& view = state.views[i];
      SharedView& shared = views_[i];
      shared.evidence = evidence(view.gram, view.noise, m, options_.integrate_private);
      shared.projection = padded<Value>(view.projection);
      shared.reading = padded<Value>(shared.evidence.reading.transpose());
    }
    potentials_.clear();
    for (const auto& has : problem_.patterns) {
      Matrix precision = Matrix::Identity(m, m);
      for (std::size_t i = 0; i < has.size(); ++i) {
        if (has[i]) precision += views_[i].evidence.precision;
      }
      Matrix factor = precision.llt().matrixL();
      potentials_.emplace_back(LatentGaussian{std::move(precision), std::move(factor)}, state.omega,
                               state.beta, Hinge{options_.C, options_.integrate_augmentation},
                               options_.label_weight, move);
    }
  }

  /// [W V]ᵀx of a segment, missing cells as they are filled at present.
  void read(const State& state, std::size_t view, const Segment& segment,
            RowMatrix<Value>& out) const {
    const RowMatrix<Value>& projection = views_[view].projection;
    out.setZero(segment.size, projection.cols());
    add_rows_times<Value>(problem_.views[view], segment.begin, projection, out);
    const SparseMatrix& fill = state.fill[view];
    if (fill.nonZeros() == 0) return;
    for (Index n = 0; n < segment.size; ++n) {
      for (SparseMatrix::InnerIterator cell(fill, segment.begin + n); cell; ++cell) {
        out.row(n) += static_cast<Value>(cell.value()) * projection.row(cell.col());
      }
    }
  }

  void segment_step(const Iteration& iteration, const Segment& segment, State& state,
                    LocalSums& sum, Memory& memory) const {
    const Index m = state.H.rows(), begin = segment.begin, size = segment.size;
    const auto streams = [&](Step step, std::size_t view = 0) {
      return Streams{iteration, step, static_cast<Index>(view), problem_.first + begin};
    };
    const auto& has = problem_.patterns[static_cast<std::size_t>(segment.pattern)];

    memory.reads.resize(has.size());
    memory.b.setZero(size, padded<Value>(m));
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (!has[i]) continue;
      const SharedView& view = views_[i];
      read(state, i, segment, memory.reads[i]);
      add_product<Value>(memory.reads[i].leftCols(view.reading.rows()), view.reading, memory.b);
      if (!options_.integrate_private) {
        memory.b.leftCols(m) -=
            (view.evidence.noise * state.U[i].middleCols(begin, size).transpose() *
             view.evidence.cross)
                .template cast<Value>();
      }
    }

    const auto& potential = potentials_[static_cast<std::size_t>(segment.pattern)];
    auto h = state.H.middleCols(begin, size);
    if (segment.labelled && options_.label_weight > 0) {
      sum.acceptance += potential.move(memory.b, problem_.y.middleCols(begin, size),
                                       state.inverse_lambda.middleCols(begin, size),
                                       state.linear.middleCols(begin, size), streams(Step::latent),
                                       memory.latent, h);
    } else {
      potential.draw(memory.b, streams(Step::latent), memory.latent, h);
    }

    sum.squares += h.squaredNorm();
    memory.statistics.begin(state, segment);
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (!has[i]) continue;
      const Index K = state.U[i].rows();
      memory.Vx = memory.reads[i].middleCols(m, K).transpose().template cast<double>();
      auto u = state.U[i].middleCols(begin, size);
      draw_private_latents(views_[i].evidence, memory.Vx, h, streams(Step::private_latent, i),
                           memory.normals, u);
      sum.squares += u.squaredNorm();
      const RowMatrix<Value>& z = memory.statistics.stacked(state, i);
      if (state.fill[i].nonZeros() > 0) {
        memory.z = z.transpose().template cast<double>();
        draw_missing_cells(state.views[i].projection, state.views[i].noise, memory.z, begin,
                           streams(Step::missing_cells, i), state.fill[i]);
      }
      memory.statistics.add(problem_, state, i, sum.statistics.views[i]);
    }
  }

  Workers& workers_;
  const Problem& problem_;
  const Options& options_;
  std::vector<SharedView> views_;
  std::vector<LatentPotential<Value>> potentials_;  // of each pattern of views
  std::vector<Memory> of_worker_;
  Reduction<LocalSums> sums_;
};

}  // namespace

std::unique_ptr<LocalStep> local_step(Workers& workers, const Problem& problem,
                                      const Options& options) {
  if (options.precision == Precision::mixed) {
    return std::make_unique<LocalStepIn<float>>(workers, problem, options);
  }
  return std::make_unique<LocalStepIn<double>>(workers, problem, options);
}

}  // namespace m3lak
