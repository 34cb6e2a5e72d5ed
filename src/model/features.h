// Random Fourier features, and how scores depend on them.
//
// φ(h) = M^{-1/2} (cos ω_1·h … cos ω_M·h, sin ω_1·h … sin ω_M·h), f = β·(φ, 1).
//
// In two layouts: panels (lanes are instances), which a move of h evaluates again and again in
// cache, and rows (one row an instance), which are summed over instances.
#pragma once

#include "m3lak/model.h"
#include "numeric/panel.h"
#include "numeric/products.h"

namespace m3lak {

/// β, over √M but for the constant. One column a class.
template <class Value>
struct FeatureWeights {
  explicit FeatureWeights(const Matrix& beta);

  Eigen::MatrixX<Value> cos, sin;
  Eigen::RowVectorX<Value> constant;
};

/// cos(ω_j·h_n) and sin(ω_j·h_n): one row a frequency, one column an instance.
template <class Value>
struct Waves {
  Panel<Value> cos, sin;
};

template <class Value>
void waves(const Eigen::MatrixX<Value>& omega, const Panel<Value>& h, Waves<Value>& out);

/// f: one row a class.
template <class Value>
void scores(const FeatureWeights<Value>& weights, const Waves<Value>& waves, Panel<Value>& f);

/// ∂(Σ_c g_cn f_cn)/∂(ω_j·h_n), in one row a frequency. Times ω it is the gradient by h; h times
/// its transpose is the gradient by ω.
template <class Value>
void slopes(const FeatureWeights<Value>& weights, const Waves<Value>& waves, const Panel<Value>& g,
            Panel<Value>& out);

/// The same by rows: one row an instance, columns padded.
template <class Value>
struct WaveRows {
  RowMatrix<Value> cos, sin;
};

/// `omega`: one column a frequency, columns padded.
template <class Value>
void waves(const RowMatrix<Value>& omega, const Rows<Value>& h, WaveRows<Value>& out);

/// (φ, 1) of `frequencies` frequencies, one row an instance, columns padded with zeros.
template <class Value>
void features(const WaveRows<Value>& waves, Index frequencies, RowMatrix<Value>& out);

}  // namespace m3lak
