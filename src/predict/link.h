// How scores become probabilities, and what these are worth on labels that were held out.
#pragma once

#include "m3lak/model.h"
#include "predict/model_parts.h"

namespace m3lak {

/// Platt's logistic fit of signs (+1, -1) to scores, with his smoothed targets. Without intercept,
/// scores keep their signs.
Link fit_link(const std::vector<double>& scores, const std::vector<int>& signs,
              bool intercept = true);

/// What held-out scores are worth, once a link is fitted to them.
struct Judgement {
  Link link;
  Vector p;  ///< of the true class, instance by instance
  double accuracy = 0;
  double log_loss = 0;
};

/// `scores`: one row an instance, one column for two classes, else one a class.
Judgement judge(const Matrix& scores, const std::vector<int>& truth, bool intercept = true);

/// Weights that add up to 1 and make Σ_n log Σ_k w_k p_nk largest, by EM. `p`: one row an instance,
/// one column a model, the probability of what was true. `evenness`: so many instances for each
/// model besides, of which it alone knows the label (a Dirichlet prior); large: even weights.
Vector stacking_weights(const Matrix& p, double evenness = 0);

/// The columns of `p`, as above: the best first, then always the one with which the even average of
/// all before it predicts best. Two that are nearly the same gain nothing by being averaged.
std::vector<Index> order_of_gain(const Matrix& p);

}  // namespace m3lak
