#include "model/features.h"

#include <cmath>

#include "numeric/sincos.h"

namespace m3lak {

namespace {

double root(Index frequencies) { return std::sqrt(static_cast<double>(frequencies)); }

/// Both of all elements; `cos` holds the angles before.
template <class Points>
void sincos_of(Points& cos, Points& sin) {
  sin.resizeLike(cos);
  using Value = typename Points::Scalar;
  sincos(std::span<const Value>{cos.data(), static_cast<std::size_t>(cos.size())}, sin.data(),
         cos.data());
}

}  // namespace

template <class Value>
FeatureWeights<Value>::FeatureWeights(const Matrix& beta) {
  const Index M = beta.rows() / 2;
  cos = (beta.topRows(M) / root(M)).template cast<Value>();
  sin = (beta.middleRows(M, M) / root(M)).template cast<Value>();
  constant = beta.row(2 * M).template cast<Value>();
}

template <class Value>
void waves(const Eigen::MatrixX<Value>& omega, const Panel<Value>& h, Waves<Value>& out) {
  transposed_times<Value>(omega, h, out.cos);
  sincos_of(out.cos, out.sin);
}

template <class Value>
void scores(const FeatureWeights<Value>& weights, const Waves<Value>& waves, Panel<Value>& f) {
  const Index M = waves.cos.rows(), classes = weights.cos.cols();
  f.resize(classes, lanes<Value>);
  for (Index c = 0; c < classes; ++c) {
    // Four sums, so that none waits for the one before.
    Lanes<Value> sum[4] = {};
    const Value* a = weights.cos.col(c).data();
    const Value* b = weights.sin.col(c).data();
    for (Index j = 0; j < M; ++j) {
      sum[j % 2] += a[j] * load(&waves.cos(j, 0));
      sum[2 + j % 2] += b[j] * load(&waves.sin(j, 0));
    }
    store(&f(c, 0), (sum[0] + sum[1]) + (sum[2] + sum[3]) + weights.constant[c]);
  }
}

template <class Value>
void slopes(const FeatureWeights<Value>& weights, const Waves<Value>& waves, const Panel<Value>& g,
            Panel<Value>& out) {
  const Index M = waves.cos.rows(), classes = weights.cos.cols();
  out.resize(M, lanes<Value>);
  for (Index j = 0; j < M; ++j) {
    Lanes<Value> with_cos = {}, with_sin = {};
    for (Index c = 0; c < classes; ++c) {
      const Lanes<Value> each = load(&g(c, 0));
      with_cos += weights.cos(j, c) * each;
      with_sin += weights.sin(j, c) * each;
    }
    store(&out(j, 0), with_sin * load(&waves.cos(j, 0)) - with_cos * load(&waves.sin(j, 0)));
  }
}

template <class Value>
void waves(const RowMatrix<Value>& omega, const Rows<Value>& h, WaveRows<Value>& out) {
  out.cos.setZero(h.rows(), omega.cols());
  add_product<Value>(h, omega, out.cos);
  sincos_of(out.cos, out.sin);
}

template <class Value>
void features(const WaveRows<Value>& waves, Index frequencies, RowMatrix<Value>& out) {
  const Index M = frequencies;
  const auto scale = static_cast<Value>(1 / root(M));
  out.setZero(waves.cos.rows(), padded<Value>(2 * M + 1));  // so that rows are aligned
  for (Index n = 0; n < out.rows(); ++n) {
    out.row(n).head(M) = scale * waves.cos.row(n).head(M);
    out.row(n).segment(M, M) = scale * waves.sin.row(n).head(M);
    out(n, 2 * M) = 1;
  }
}

#define M3LAK_INSTANTIATE(Value)                                                               \
  template struct FeatureWeights<Value>;                                                       \
  template void waves(const Eigen::MatrixX<Value>&, const Panel<Value>&, Waves<Value>&);       \
  template void waves(const RowMatrix<Value>&, const Rows<Value>&, WaveRows<Value>&);          \
  template void features(const WaveRows<Value>&, Index, RowMatrix<Value>&);                    \
  template void scores(const FeatureWeights<Value>&, const Waves<Value>&, Panel<Value>&);      \
  template void slopes(const FeatureWeights<Value>&, const Waves<Value>&, const Panel<Value>&, \
                       Panel<Value>&)
M3LAK_INSTANTIATE(double);
M3LAK_INSTANTIATE(float);
#undef M3LAK_INSTANTIATE

}  // namespace m3lak
