#include "model/features.h"

#include <cmath>

#include "numeric/sincos.h"

namespace m3lak {

namespace {

double root(Index frequencies) { return std::sqrt(static_cast<double>(frequencies)); }

}  // namespace

void waves(const Matrix& omega, const Eigen::Ref<const Matrix>& h, Waves& out) {
  out.cos.noalias() = omega.transpose() * h;
  out.sin.resize(out.cos.rows(), out.cos.cols());
  sincos({out.cos.data(), static_cast<std::size_t>(out.cos.size())}, out.sin.data(),
         out.cos.data());
}

Matrix scores(const Matrix& beta, const Waves& waves) {
  const Index M = waves.cos.rows();
  Matrix f(beta.cols(), waves.cos.cols());
  f.noalias() = beta.topRows(M).transpose() * waves.cos;
  f.noalias() += beta.middleRows(M, M).transpose() * waves.sin;
  f /= root(M);
  f.colwise() += beta.row(2 * M).transpose();
  return f;
}

Matrix slopes(const Matrix& beta, const Waves& waves, const Matrix& g) {
  const Index M = waves.cos.rows();
  const Matrix with_cos = beta.topRows(M) * g, with_sin = beta.middleRows(M, M) * g;
  return (with_sin.cwiseProduct(waves.cos) - with_cos.cwiseProduct(waves.sin)) / root(M);
}

}  // namespace m3lak
