// v given β and γ: Gamma(a_v + ½ weights, b_v + ½‖β‖² + ½‖γ‖²/g).
#pragma once

#include "m3lak/options.h"
#include "model/state.h"

namespace m3lak {

/// Does nothing if v is fixed.
void draw_weight_precision(Stream stream, const Options& options, State& state);

}  // namespace m3lak
