// Missing cells: x_dn ~ N(w_d·h_n + v_d·u_n, 1/τ).
#pragma once

#include "m3lak/model.h"
#include "model/state.h"

namespace m3lak {

/// Sets the stored values in rows begin … begin + z.cols() - 1 of `fill`; column n of z = [h; u] is
/// of row begin + n.
void draw_missing_cells(const DenseMatrix& projection, double noise, const Matrix& z, Index begin,
                        const Streams& stream, SparseMatrix& fill);

}  // namespace m3lak
