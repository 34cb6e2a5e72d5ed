// Distances between instances in one view, and the Gaussian kernels made of them.
#pragma once

#include "m3lak/dataset.h"
#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak {

/// ‖x_n - y_k‖² of all rows of both: one row a row of `x`.
Matrix squared_distances(Workers& workers, const DenseMatrix& x, const DenseMatrix& y);

/// The same of all pairs of rows of one: symmetric to the last bit, 0 on the diagonal.
Matrix squared_distances(Workers& workers, const DenseMatrix& x);

/// The median distance (not squared) of two different rows, given the squared distances of all
/// pairs; 1 if it is 0 or there is one row only. Of more than a few million pairs, some.
double median_distance(const Matrix& squared_distances);

/// exp(-d²/(2 s²)).
Matrix gaussian_kernel(Workers& workers, const Matrix& squared_distances, double width);

}  // namespace m3lak
