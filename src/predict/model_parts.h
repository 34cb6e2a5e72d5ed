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

/// Of each class, given the scores: one, for the second of two classes, or one a class.
Vector probabilities(const Link& link, const Eigen::Ref<const Vector>& score);

/// Their standard deviations, to first order, if scores have these, each on its own.
Vector probability_spreads(const Link& link, const Eigen::Ref<const Vector>& score,
                           const Eigen::Ref<const Vector>& spread);

struct Model::Parts {
  Options options;
  Scaler scaler{Scaling::none, {}};
  std::vector<std::string> classes;
  std::vector<std::vector<std::string>> feature_names;
  std::vector<DenseMatrix> directions;  ///< of each view: see principal.h
  std::vector<Draw> draws;
  std::vector<int> chain_of;  ///< of each draw
  std::vector<TraceRow> trace;
  std::vector<Tried> tried;
  Link link;
  bool stopped_early = false;

  double weight = 1;
  std::vector<std::shared_ptr<const Parts>> others;  ///< fits that predict together with this one
};

}  // namespace m3lak
