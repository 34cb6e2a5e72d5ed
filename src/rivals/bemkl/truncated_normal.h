// The normal distribution on the positive half line.
#pragma once

namespace m3lak::bemkl_parts {

/// x ~ N(z, 1), given that x > 0.
struct PositiveNormal {
  double mean = 0;             ///< E[x | x > 0] = z + φ(z)/Φ(z)
  double log_probability = 0;  ///< log P(x > 0) = log Φ(z)
};

/// Accurate for every finite z: far below 0, where φ(z)/Φ(z) is 0/0, too.
PositiveNormal positive_normal(double z);

}  // namespace m3lak::bemkl_parts
