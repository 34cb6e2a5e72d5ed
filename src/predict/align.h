// New data, in the order of the views that a model was trained on.
#pragma once

#include "predict/model_parts.h"

namespace m3lak {

/// Views are matched by name; one that the data lacks altogether is missing for all instances.
/// Throws BadData, with both lists, if the data has others, or if the features differ.
Dataset align(Dataset data, const Model::Parts& model);

}  // namespace m3lak
