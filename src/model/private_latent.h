// u of one view given h and x: N(S τ (Vᵀx - VᵀW h), S), S = (I + τ VᵀV)^{-1}.
#pragma once

#include "model/evidence.h"
#include "model/state.h"

namespace m3lak {

/// `Vx` is Vᵀx; columns are instances. `normals` is room to work in.
void draw_private_latents(const Evidence& view, const Eigen::Ref<const Matrix>& Vx,
                          const Eigen::Ref<const Matrix>& h, const Streams& stream, Matrix& normals,
                          Eigen::Ref<Matrix> u);

}  // namespace m3lak
