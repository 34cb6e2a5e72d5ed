#pragma once

#include <Eigen/Core>

// The inner loops of Eigen's products and triangular solutions, compiled once (eigen_kernels.cpp)
// instead of in each file that multiplies matrices: these made up to half of the time to compile.
namespace Eigen::internal {

template <class Scalar, int Order>
using KernelMap = blas_data_mapper<Scalar, long, Order, Unaligned, 1>;
template <class Scalar, int Order>
using KernelInput = const_blas_data_mapper<Scalar, long, Order>;
template <class Scalar>
using KernelTraits = gebp_traits<Scalar, Scalar>;

// clang-format off
#define M3LAK_EIGEN_KERNELS(declaration, Scalar)                                                   \
  declaration struct gebp_kernel<Scalar, Scalar, long, KernelMap<Scalar, ColMajor>,                \
                                 KernelTraits<Scalar>::mr, KernelTraits<Scalar>::nr>;              \
  declaration struct gemm_pack_lhs<Scalar, long, KernelInput<Scalar, ColMajor>,                    \
                                   KernelTraits<Scalar>::mr, KernelTraits<Scalar>::LhsProgress,    \
                                   KernelTraits<Scalar>::LhsPacket4Packing, ColMajor>;             \
  declaration struct gemm_pack_lhs<Scalar, long, KernelInput<Scalar, RowMajor>,                    \
                                   KernelTraits<Scalar>::mr, KernelTraits<Scalar>::LhsProgress,    \
                                   KernelTraits<Scalar>::LhsPacket4Packing, RowMajor>;             \
  declaration struct gemm_pack_rhs<Scalar, long, KernelInput<Scalar, ColMajor>,                    \
                                   KernelTraits<Scalar>::nr, ColMajor>;                            \
  declaration struct gemm_pack_rhs<Scalar, long, KernelInput<Scalar, RowMajor>,                    \
                                   KernelTraits<Scalar>::nr, RowMajor>;                            \
  declaration struct gemm_pack_rhs<Scalar, long, KernelMap<Scalar, ColMajor>,                      \
                                   KernelTraits<Scalar>::nr, ColMajor, false, true>;               \
  M3LAK_EIGEN_VECTOR_KERNEL(declaration, Scalar, ColMajor, ColMajor)                               \
  M3LAK_EIGEN_VECTOR_KERNEL(declaration, Scalar, ColMajor, RowMajor)                               \
  M3LAK_EIGEN_VECTOR_KERNEL(declaration, Scalar, RowMajor, ColMajor)                               \
  M3LAK_EIGEN_VECTOR_KERNEL(declaration, Scalar, RowMajor, RowMajor)                               \
  M3LAK_EIGEN_SOLUTIONS(declaration, Scalar, OnTheLeft)                                            \
  M3LAK_EIGEN_SOLUTIONS(declaration, Scalar, OnTheRight)

#define M3LAK_EIGEN_VECTOR_KERNEL(declaration, Scalar, order, vector_order)                        \
  declaration struct general_matrix_vector_product<                                                \
      long, Scalar, KernelInput<Scalar, order>, order, false,                                      \
      Scalar, KernelInput<Scalar, vector_order>, false>;

#define M3LAK_EIGEN_SOLUTIONS(declaration, Scalar, side)                                           \
  declaration struct triangular_solve_matrix<Scalar, long, side, Lower, false, ColMajor, ColMajor, 1>; \
  declaration struct triangular_solve_matrix<Scalar, long, side, Upper, false, ColMajor, ColMajor, 1>; \
  declaration struct triangular_solve_matrix<Scalar, long, side, Lower, false, RowMajor, ColMajor, 1>; \
  declaration struct triangular_solve_matrix<Scalar, long, side, Upper, false, RowMajor, ColMajor, 1>;
// clang-format on

M3LAK_EIGEN_KERNELS(extern template, double)
M3LAK_EIGEN_KERNELS(extern template, float)

}  // namespace Eigen::internal
