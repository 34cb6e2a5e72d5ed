// One fit: settings with nothing left to choose, data, draws.
#pragma once

#include "data/part.h"
#include "inference/sample.h"
#include "m3lak/model.h"
#include "predict/model_parts.h"

namespace m3lak {

/// m as it is used.
int latent_dimension(const Options& options, const Dataset& training);

/// How many principal coordinates the classifier sees of so many instances.
Index linear_coordinates(const Options& options, Index instances);

/// That the matrices of draws may take in memory.
double bytes_of_draws(const Options& options);

/// The settings of one fit, and the total variance that each view is given (empty: as its scaling
/// leaves it).
struct Candidate {
  Options options;
  Vector variances;
};

/// The link and the weight are left as they are. Draws are kept in the store. It goes on from where
/// the checkpoint has it, under `name`, where it stays as long as the parts do. Of several
/// processes, the first has the draws.
std::shared_ptr<Model::Parts> fit_one(Dataset training, const Part& part,
                                      const Candidate& candidate, const Callbacks& callbacks,
                                      Trace trace, DrawStore& store, Checkpoint& checkpoint,
                                      const std::string& name);

}  // namespace m3lak
