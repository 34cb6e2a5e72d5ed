// Views with many more features than instances, in cheaper algebra of the same model.
//
// The prior of W and V does not change when the features are turned (multiplied by an orthogonal
// matrix), and neither does the noise. So turn them such that the first q <= N hold all of the data
// and the others are zero in every instance. Of those others, given everything else, the rows of
// [W V] are independent N(0, T^{-1}), T as in projection.h, and all that any conditional needs to
// know of them is their Gram matrix, a Wishart draw. An iteration then costs N² instead of N D.
#pragma once

#include "m3lak/dataset.h"
#include "m3lak/model.h"
#include "numeric/random.h"

namespace m3lak {

/// Whether an iteration on the turned view would be much cheaper, and turning it does not take
/// longer than it saves.
bool worth_turning(const View& view, Index latent_and_private);

/// Turns the view; returns the directions Q (one column each) that hold its data: X becomes X Q.
DenseMatrix turn(View& view);

/// A factor F with F Fᵀ ~ Wishart(unseen, T^{-1}), T = LLᵀ: the Gram matrix of `unseen` rows.
Matrix draw_unseen(Stream& stream, const Matrix& L, Index unseen);

/// [W V] for the original features: Q P + E with E orthogonal to Q, uniform given EᵀE = F Fᵀ.
DenseMatrix turn_back(Stream& stream, const DenseMatrix& Q, const DenseMatrix& P, const Matrix& F);

}  // namespace m3lak
