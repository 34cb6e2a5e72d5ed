// Products with X, all views of a problem side by side, block by block of its instances and over
// those of all processes. Missing views and cells are zero; sparse views stay sparse.
#pragma once

#include "model/problem.h"

namespace m3lak {

/// How many features all views have.
Index features_of(const Problem& problem);

/// Which instances are looked at: all, or some blocks of them, evenly spread, which are enough to
/// know directions by.
enum class Instances { all, some };

/// XᵀX, and XᵀX B.
Matrix features_gram(Workers& workers, const Problem& problem, Instances which);
DenseMatrix features_gram_times(Workers& workers, const Problem& problem, Instances which,
                                const DenseMatrix& B);

/// X B of this process's instances: one row each.
DenseMatrix instances_times(Workers& workers, const Problem& problem, const DenseMatrix& B);

}  // namespace m3lak
