// Leading eigenvectors of symmetric matrices that are not negative.
#pragma once

#include <Eigen/QR>
#include <algorithm>

#include "m3lak/model.h"
#include "numeric/distributions.h"
#include "numeric/random.h"

namespace m3lak {

struct Spectrum {
  Vector values;  ///< largest first; those that are noise of rounding are left out
  DenseMatrix vectors;
};

Spectrum leading(const Matrix& matrix, Index most);

/// The same of a matrix of so many rows that is too large to be made: by its products, in so many
/// rounds of subspace iteration. That need not converge: any directions will do, as long as they
/// hold most of the variance.
template <class Product>
Spectrum leading(Index size, Index most, int rounds, Stream& stream, const Product& product) {
  constexpr Index spare = 8;
  DenseMatrix basis(size, std::min(most + spare, size));
  fill_normal(stream, {basis.data(), static_cast<std::size_t>(basis.size())});
  for (int round = 0; round < rounds; ++round) {
    const Eigen::HouseholderQR<Matrix> qr(round == 0 ? basis : product(basis));
    basis = qr.householderQ() * Matrix::Identity(size, basis.cols());
  }
  Spectrum inside = leading(basis.transpose() * product(basis), most);
  inside.vectors = basis * inside.vectors;
  return inside;
}

}  // namespace m3lak
