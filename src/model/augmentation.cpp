#include "model/augmentation.h"

#include <algorithm>
#include <cmath>

#include "numeric/distributions.h"

namespace m3lak {

double draw_inverse_lambda(Stream& stream, double C, double y, double f) {
  if (y == 0) return 0;
  return std::min(inverse_gaussian(stream, C * std::abs(1 - y * f), 1), largest_inverse_lambda);
}

}  // namespace m3lak
