// Training: the machine and the harmonium in turns.
//
//   min over A, a, v, b:  -(1/N) Σ log p(x_n) + C1/(2N) ‖v‖² + (C2/N) Σ max(0, 1 - y_n (vᵀμ_n + b))
#pragma once

#include <functional>
#include <vector>

#include "rivals/mmh/harmonium.h"
#include "rivals/mmh/mmh.h"

namespace m3lak::harmonium {

struct Learned {
  Parameters parameters;
  LinearMachine machine;
};

/// One row of `x` an instance, as Visible makes them. C2 instead of that of the options; if it is
/// 0, the likelihood alone counts and the machine says 0. What is drawn does not depend on C2.
/// Throws Stopped if `stop` says so.
Learned learn(const DenseMatrix& x, const Vector& y, const std::vector<Wing>& wings,
              const Parameters& start, const MmhOptions& options, double C2,
              const std::function<bool()>& stop);

}  // namespace m3lak::harmonium
