#include "inference/local_step.h"

#include <Eigen/Cholesky>

#include "data/view_algebra.h"
#include "model/evidence.h"
#include "model/missing_cells.h"
#include "model/private_latent.h"

namespace m3lak {

namespace {

/// What all instances share: each view's evidence, and the Gaussian of each pattern of views.
struct Shared {
  std::vector<Evidence> views;
  std::vector<LatentGaussian> patterns;
};

Shared share(const Problem& problem, const Options& options, const State& state) {
  const Index m = state.H.rows();
  Shared shared;
  for (const ViewState& view : state.views) {
    shared.views.push_back(evidence(view.gram, view.noise, m, options.integrate_private));
  }
  for (const auto& has : problem.patterns) {
    Matrix precision = Matrix::Identity(m, m);
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (has[i]) precision += shared.views[i].precision;
    }
    Matrix factor = precision.llt().matrixL();
    shared.patterns.push_back({std::move(precision), std::move(factor)});
  }
  return shared;
}

/// [W V]ᵀ x of a segment, missing cells as they are filled at present.
Matrix project(const Problem& problem, const State& state, std::size_t view,
               const Segment& segment) {
  const DenseMatrix& projection = state.views[view].projection;
  Matrix read = rows_times(problem.views[view], segment.begin, segment.size, projection);
  const SparseMatrix& fill = state.fill[view];
  if (fill.nonZeros() == 0) return read;
  for (Index n = 0; n < segment.size; ++n) {
    for (SparseMatrix::InnerIterator cell(fill, segment.begin + n); cell; ++cell) {
      read.col(n) += cell.value() * projection.row(cell.col()).transpose();
    }
  }
  return read;
}

Acceptance segment_step(const Iteration& iteration, const Problem& problem, const Options& options,
                        const Move& move, const Shared& shared, const Segment& segment,
                        State& state, Statistics& sum) {
  const Index m = state.H.rows(), begin = segment.begin, size = segment.size;
  const auto streams = [&](Step step, std::size_t view) {
    return [&iteration, step, view, begin](Index n) {
      return iteration.stream(step, static_cast<Index>(view), begin + n);
    };
  };
  const auto& has = problem.patterns[static_cast<std::size_t>(segment.pattern)];
  const LatentGaussian& gaussian = shared.patterns[static_cast<std::size_t>(segment.pattern)];

  std::vector<Matrix> reads(has.size());
  Matrix b = Matrix::Zero(m, size);
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (!has[i]) continue;
    const Evidence& view = shared.views[i];
    reads[i] = project(problem, state, i, segment);
    b.noalias() += view.reading * reads[i];
    if (!options.integrate_private) {
      b.noalias() -= view.noise * view.cross.transpose() * state.U[i].middleCols(begin, size);
    }
  }

  auto h = state.H.middleCols(begin, size);
  Acceptance acceptance;
  if (segment.labelled && options.label_weight > 0) {
    const LabelPull pull{state.omega,
                         state.beta,
                         {options.C, options.integrate_augmentation},
                         options.label_weight,
                         problem.y.middleCols(begin, size),
                         state.inverse_lambda.middleCols(begin, size)};
    acceptance = move_latents(gaussian, b, pull, move, streams(Step::latent, 0), h);
  } else {
    draw_latents(gaussian, b, streams(Step::latent, 0), h);
  }

  for (std::size_t i = 0; i < has.size(); ++i) {
    if (!has[i]) continue;
    draw_private_latents(shared.views[i], reads[i].bottomRows(reads[i].rows() - m), h,
                         streams(Step::private_latent, i), state.U[i].middleCols(begin, size));
    const Matrix z = stacked(state, i, segment);
    draw_missing_cells(state.views[i].projection, state.views[i].noise, z, begin,
                       streams(Step::missing_cells, i), state.fill[i]);
    add_statistics(problem, state, i, segment, z, sum.views[i]);
  }
  return acceptance;
}

}  // namespace

LocalStep local_step(Workers& workers, const Iteration& iteration, const Problem& problem,
                     const Options& options, const Move& move, State& state) {
  const Shared shared = share(problem, options, state);
  const auto map = [&](const Block& block, LocalStep& sum) {
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
      sum.acceptance +=
          segment_step(iteration, problem, options, move, shared, segment, state, sum.statistics);
    }
  };
  const auto combine = [](LocalStep& into, const LocalStep& from) {
    into.statistics += from.statistics;
    into.acceptance += from.acceptance;
  };
  const LocalStep zero{Statistics::zero(problem, options.latent, options.private_latent), {}};
  return reduce_blocks(workers, problem.blocks, zero, map, combine);
}

Statistics collect(Workers& workers, const Problem& problem, const State& state) {
  const auto map = [&](const Block& block, Statistics& sum) {
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
      const auto& has = problem.patterns[static_cast<std::size_t>(segment.pattern)];
      for (std::size_t i = 0; i < has.size(); ++i) {
        if (has[i]) {
          add_statistics(problem, state, i, segment, stacked(state, i, segment), sum.views[i]);
        }
      }
    }
  };
  const Index private_latent = state.U.empty() ? 0 : state.U.front().rows();
  return reduce_blocks(workers, problem.blocks,
                       Statistics::zero(problem, state.H.rows(), private_latent), map,
                       [](Statistics& into, const Statistics& from) { into += from; });
}

}  // namespace m3lak
