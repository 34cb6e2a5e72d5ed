// r_j of one view: Gamma(a_r + D/2, b_r + ½‖w_j‖²).
#pragma once

#include "m3lak/options.h"
#include "model/state.h"

namespace m3lak {

void draw_relevance(Stream stream, const Options& options, Index features, ViewState& view);

}  // namespace m3lak
