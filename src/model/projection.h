// W and V of one view given everything else.
//
// Rows of [W V] are independent and share one precision: with z = [h; u], T = diag(r, η) + τ Σ zzᵀ
// and row d ~ N(T^{-1} τ Σ x_d z, T^{-1}).
#pragma once

#include "model/state.h"
#include "model/statistics.h"
#include "numeric/parallel.h"

namespace m3lak {

/// `features`: of the view as it was; those beyond the rows of the statistics are unseen (wide.h).
void draw_projection(Workers& workers, const Iteration& iteration, Index view, Index features,
                     const ViewStatistics& statistics, double private_precision, ViewState& state);

}  // namespace m3lak
