// What a model is made of.
#pragma once

#include "m3lak/model.h"
#include "m3lak/scaling.h"

namespace m3lak {

/// Turns a score into a probability: p = 1 / (1 + exp(-(slope · score + intercept))).
struct Link {
  double slope = 1;
  double intercept = 0;
};

struct Model::Parts {
  Options options;
  Scaler scaler{Scaling::none, {}};
  std::vector<std::string> classes;
  std::vector<std::vector<std::string>> feature_names;
  std::vector<DenseMatrix> directions;  ///< of each view: see principal.h
  std::vector<Draw> draws;
  std::vector<int> chain_of;  ///< of each draw
  std::vector<TraceRow> trace;
  std::vector<std::pair<double, double>> tried_C;
  Link link;
  bool stopped_early = false;
};

}  // namespace m3lak
