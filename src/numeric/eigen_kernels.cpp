#include "numeric/eigen_kernels.h"

namespace Eigen::internal {

M3LAK_EIGEN_KERNELS(template, double)
M3LAK_EIGEN_KERNELS(template, float)

}  // namespace Eigen::internal
