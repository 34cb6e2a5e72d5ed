#include "model/projection.h"

#include <Eigen/Cholesky>

#include "model/wide.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

namespace {

constexpr Index rows_a_block = 512;

}  // namespace

void draw_projection(Workers& workers, const Iteration& iteration, Index view, Index features,
                     const ViewStatistics& statistics, double private_precision, ViewState& state) {
  const Index m = state.relevance.size(), D = statistics.xz.rows();
  Matrix precision = state.noise * statistics.zz;
  precision.diagonal().head(m) += state.relevance;
  precision.diagonal().tail(precision.rows() - m).array() += private_precision;
  const Matrix L = precision.llt().matrixL();

  state.projection.resize(D, precision.rows());
  for_each_block(workers, {D, rows_a_block}, [&](const Block& rows) {
    Stream stream = iteration.stream(Step::projection, view, rows.index);
    state.projection.middleRows(rows.begin, rows.size) = normal_rows_from_precision(
        stream, L, state.noise * statistics.xz.middleRows(rows.begin, rows.size));
  });
  state.gram = Matrix::Zero(precision.rows(), precision.rows());
  state.gram.selfadjointView<Eigen::Lower>().rankUpdate(state.projection.transpose());
  if (features > D) {
    Stream stream = iteration.stream(Step::unseen_directions, view);
    state.unseen = draw_unseen(stream, L, features - D);
    state.gram.selfadjointView<Eigen::Lower>().rankUpdate(state.unseen);
  }
  state.gram.triangularView<Eigen::StrictlyUpper>() = state.gram.transpose();
}

}  // namespace m3lak
