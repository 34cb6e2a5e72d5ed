// All that the sampler draws.
#pragma once

#include <vector>

#include "m3lak/model.h"
#include "model/mixture.h"
#include "numeric/iteration.h"

namespace m3lak {

/// The global variables of one view.
struct ViewState {
  DenseMatrix projection;  ///< [W V], one row a feature
  Matrix unseen;           ///< of a turned view: F, see wide.h; else empty
  Matrix gram;             ///< projectionᵀ projection (+ F Fᵀ), kept with it
  Vector relevance;        ///< r
  double noise = 1;        ///< τ
};

struct State {
  // Local: one column an instance.
  Matrix H;
  std::vector<Matrix> U;           ///< of each view; zero where the view is missing
  Matrix inverse_lambda;           ///< 1/λ, one row a class; 0 without a label
  std::vector<SparseMatrix> fill;  ///< of each view: values of the missing cells
  Matrix linear;                   ///< γ·z, one row a class; kept with γ

  // Global.
  std::vector<ViewState> views;
  Matrix beta;              ///< one column a class
  Matrix gamma;             ///< weights of the coordinates, one column a class
  double weight_precision;  ///< v
  Matrix omega;             ///< one column a frequency
  Mixture mixture;
};

/// Names the random numbers of instances begin, begin + 1, …
struct Streams {
  Iteration iteration;
  Step step;
  Index view = 0;
  Index begin = 0;

  Stream operator()(Index n) const { return iteration.stream(step, view, begin + n); }
};

}  // namespace m3lak
