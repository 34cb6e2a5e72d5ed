// τ of one view: Gamma(a_τ + ½ cells, b_τ + ½ Σ_n ‖x_n - W h_n - V u_n‖²).
#pragma once

#include "m3lak/options.h"
#include "model/state.h"
#include "model/statistics.h"

namespace m3lak {

/// Σ_n ‖x_n - [W V] z_n‖² from the sums alone; `squared_norm` is that of the known cells.
double squared_residual(const ViewState& view, const ViewStatistics& statistics,
                        double squared_norm);

/// `cells`: features times instances that have the view.
void draw_noise(Stream stream, const Options& options, double cells, double squared_residual,
                ViewState& view);

}  // namespace m3lak
