// u of one view given h and x: N(S τ (Vᵀx - VᵀW h), S), S = (I + τ VᵀV)^{-1}.
#pragma once

#include <functional>

#include "model/evidence.h"
#include "numeric/random.h"

namespace m3lak {

/// `Vx` is Vᵀx; columns are instances.
void draw_private_latents(const Evidence& view, const Eigen::Ref<const Matrix>& Vx,
                          const Eigen::Ref<const Matrix>& h,
                          const std::function<Stream(Index)>& stream, Eigen::Ref<Matrix> u);

}  // namespace m3lak
