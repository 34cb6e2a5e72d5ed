#include "model/rule.h"

#include <algorithm>
#include <cmath>

#include "data/view_algebra.h"

namespace m3lak {

namespace {

Matrix turned(const RuleDraw& draw, const Matrix& columns) {
  return draw.turn.size() > 0 ? Matrix(draw.turn * columns) : columns;
}

/// The diagonal of the turned S.
Vector variances(const RuleDraw& draw, const Eigen::LLT<Matrix>& precision) {
  const Index m = draw.frequencies.rows();
  const Matrix turn = turned(draw, Matrix::Identity(m, m));
  return precision.matrixL().solve(turn.transpose()).colwise().squaredNorm().transpose();
}

}  // namespace

RuleDraw rule_draw(const Draw& draw) {
  RuleDraw result{{}, draw.frequencies, draw.weights, draw.linear_weights};
  for (const Draw::ViewDraw& view : draw.views) {
    result.views.push_back(
        {view.projection, view.projection.transpose() * view.projection, view.noise});
  }
  return result;
}

template <class Value>
Rule<Value>::Rule(const Problem& instances, std::vector<RuleDraw> draws, bool with_variance)
    : instances_(instances), sources_(std::move(draws)), with_variance_(with_variance) {
  const Index m = sources_.front().frequencies.rows();
  const Index columns = m * std::ssize(sources_);
  for (const auto& has : instances.patterns) {
    auto& means = means_.emplace_back(has.size());
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (has[i]) means[i].setZero(instances.views[i].features(), padded<Value>(columns));
    }
  }
  for (const RuleDraw& source : sources_) {
    const Index first = m * std::ssize(draws_);
    OfDraw& draw = draws_.emplace_back();
    draw.omega = padded<Value>(turned(source, source.frequencies));
    draw.constant = source.weights.bottomRows(1).template cast<Value>();
    draw.linear = source.linear.template cast<Value>();
    for (const RuleDraw::OfView& view : source.views) {
      draw.evidence.push_back(evidence(view.gram, view.noise, m, true));
    }
    for (std::size_t p = 0; p < instances.patterns.size(); ++p) {
      const auto& has = instances.patterns[p];
      Matrix precision = Matrix::Identity(m, m);
      for (std::size_t i = 0; i < has.size(); ++i) {
        if (has[i]) precision += draw.evidence[i].precision;
      }
      const Eigen::LLT<Matrix> llt(precision);
      draw.patterns.push_back(damped(source, llt));
      if (with_variance_) draw.variances.push_back(variances(source, llt));
      for (std::size_t i = 0; i < has.size(); ++i) {
        if (!has[i]) continue;
        const Matrix reading = turned(source, llt.solve(draw.evidence[i].reading));
        means_[p][i].middleCols(first, m) =
            (source.views[i].projection * reading.transpose()).template cast<Value>();
      }
    }
    weigh_missing(source, draw);
  }
}

/// What E[h*] adds to f through the coordinates of what is missing.
template <class Value>
void Rule<Value>::weigh_missing(const RuleDraw& source, OfDraw& draw) const {
  const Index m = source.frequencies.rows(), classes = source.weights.cols();
  const bool whole = std::ranges::all_of(
      instances_.patterns, [](const auto& has) { return std::ranges::find(has, 0) == has.end(); });
  const bool no_gaps =
      std::ranges::all_of(instances_.gaps, [](const auto& gaps) { return gaps.nonZeros() == 0; });
  if (instances_.coordinates.cols() == 0 || (whole && no_gaps)) return;
  std::vector<Matrix> of_view;
  for (std::size_t i = 0; i < source.views.size(); ++i) {
    draw.feature_weights.push_back(instances_.directions[i] * source.linear);
    of_view.push_back(turned(
        source, source.views[i].projection.leftCols(m).transpose() * draw.feature_weights.back()));
  }
  for (const auto& has : instances_.patterns) {
    Matrix sum = Matrix::Zero(m, classes);
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (!has[i]) sum += of_view[i];
    }
    draw.expected.push_back(sum.template cast<Value>());
  }
}

template <class Value>
typename Rule<Value>::Damped Rule<Value>::damped(const RuleDraw& draw,
                                                 const Eigen::LLT<Matrix>& precision) {
  const Index M = draw.frequencies.cols();
  const Matrix whitened = precision.matrixL().solve(draw.frequencies);
  const Vector damping = (-0.5 * whitened.colwise().squaredNorm().array()).exp().transpose() /
                         std::sqrt(static_cast<double>(M));
  return {(damping.asDiagonal() * draw.weights.topRows(M)).template cast<Value>(),
          (damping.asDiagonal() * draw.weights.middleRows(M, M)).template cast<Value>()};
}

template <class Value>
void Rule<Value>::score_means(const OfDraw& draw, const Damped& damped, const Rows<Value>& h,
                              WaveRows<Value>& waves,
                              Eigen::Ref<RowMatrix<Value>, 0, Eigen::OuterStride<>> f) const {
  const Index M = damped.cos.rows();
  m3lak::waves<Value>(draw.omega, h, waves);
  f.rowwise() = draw.constant;
  f.noalias() += waves.cos.leftCols(M) * damped.cos;
  f.noalias() += waves.sin.leftCols(M) * damped.sin;
}

template <class Value>
void Rule<Value>::score(const Segment& segment, Scored& out) const {
  const auto pattern = static_cast<std::size_t>(segment.pattern);
  const auto& has = instances_.patterns[pattern];
  const Index m = sources_.front().frequencies.rows();
  const Index classes = sources_.front().weights.cols(), draws = std::ssize(draws_);
  out.h.setZero(segment.size, padded<Value>(m * draws));
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (has[i]) {
      add_rows_times<Value>(instances_.views[i], segment.begin, means_[pattern][i], out.h);
    }
  }
  out.f.resize(segment.size, classes * draws);
  if (with_variance_) out.variance.resize(segment.size, m * draws);
  for (Index d = 0; d < draws; ++d) {
    const OfDraw& draw = draws_[static_cast<std::size_t>(d)];
    score_means(draw, draw.patterns[pattern], out.h.middleCols(d * m, m), out.waves,
                out.f.middleCols(d * classes, classes));
    if (with_variance_) {
      out.variance.middleCols(d * m, m).rowwise() = draw.variances[pattern].transpose();
    }
  }
  for (Index n = 0; n < segment.size; ++n) {
    if (instances_.has_gaps(segment.begin + n)) score_with_gaps(segment, n, out);
  }
  if (instances_.coordinates.cols() == 0) return;
  out.z = instances_.coordinates.middleRows(segment.begin, segment.size).template cast<Value>();
  for (Index d = 0; d < draws; ++d) {
    const OfDraw& draw = draws_[static_cast<std::size_t>(d)];
    auto f = out.f.middleCols(d * classes, classes);
    f.noalias() += out.z * draw.linear;
    if (!draw.expected.empty()) f.noalias() += out.h.middleCols(d * m, m) * draw.expected[pattern];
  }
}

/// A missing cell takes its row out of [W V]; its value in X is 0 already.
template <class Value>
void Rule<Value>::score_with_gaps(const Segment& segment, Index n, Scored& out) const {
  const auto& has = instances_.patterns[static_cast<std::size_t>(segment.pattern)];
  const Index m = sources_.front().frequencies.rows();
  const Index classes = sources_.front().weights.cols();
  for (std::size_t d = 0; d < sources_.size(); ++d) {
    const RuleDraw& source = sources_[d];
    Matrix precision = Matrix::Identity(m, m);
    Vector b = Vector::Zero(m);
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (!has[i]) continue;
      const Eigen::Map<const DenseMatrix>& projection = source.views[i].projection;
      Matrix gram = source.views[i].gram;
      for (SparseMatrix::InnerIterator cell(instances_.gaps[i], segment.begin + n); cell; ++cell) {
        const Vector row = projection.row(cell.col()).transpose();
        gram -= row * row.transpose();
      }
      const Evidence known = evidence(gram, source.views[i].noise, m, true);
      precision += known.precision;
      RowMatrix<double> read = RowMatrix<double>::Zero(1, padded<double>(projection.cols()));
      add_rows_times<double>(instances_.views[i], segment.begin + n, padded<double>(projection),
                             read);
      b += known.reading * read.leftCols(projection.cols()).transpose();
    }
    const auto at = static_cast<Index>(d);
    const Eigen::LLT<Matrix> llt(precision);
    const Vector latent = llt.solve(b);
    const RowMatrix<Value> h = turned(source, latent).transpose().template cast<Value>();
    out.h.block(n, at * m, 1, m) = h;
    if (with_variance_) {
      out.variance.block(n, at * m, 1, m) = variances(source, llt).transpose();
    }
    auto f = out.f.block(n, at * classes, 1, classes);
    score_means(draws_[d], damped(source, llt), h, out.waves, f);
    if (draws_[d].feature_weights.empty()) continue;
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (!has[i]) continue;
      for (SparseMatrix::InnerIterator cell(instances_.gaps[i], segment.begin + n); cell; ++cell) {
        const double expected = source.views[i].projection.row(cell.col()).head(m).dot(latent);
        f += (expected * draws_[d].feature_weights[i].row(cell.col())).template cast<Value>();
      }
    }
  }
}

template class Rule<double>;
template class Rule<float>;

namespace {

struct Count {
  Index right = 0, all = 0;
};

template <class Kind>
void transfer(Kind& archive, Count& count) {
  archive(count.right, count.all);
}

}  // namespace

int decide(const Eigen::Ref<const Vector>& f) {
  if (f.size() == 1) return f[0] > 0 ? 1 : 0;
  Index best = 0;
  f.maxCoeff(&best);
  return static_cast<int>(best);
}

double training_accuracy(Workers& workers, const Problem& problem, const Rule<double>& rule) {
  std::vector<Rule<double>::Scored> of_worker(static_cast<std::size_t>(workers.threads()));
  const auto map = [&](const Block& block, Count& count, int worker) {
    auto& scored = of_worker[static_cast<std::size_t>(worker)];
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
      if (!segment.labelled) continue;
      rule.score(segment, scored);
      for (Index n = 0; n < segment.size; ++n) {
        count.right +=
            decide(scored.f.row(n).transpose()) == decide(problem.y.col(segment.begin + n));
      }
      count.all += segment.size;
    }
  };
  const Count count =
      reduce_blocks(workers, problem.blocks, Count{}, map, [](Count& into, const Count& from) {
        into.right += from.right;
        into.all += from.all;
      });
  return static_cast<double>(count.right) / static_cast<double>(count.all);
}

}  // namespace m3lak
