// The hinge and its augmented form, as a potential.
#pragma once

#include "m3lak/model.h"
#include "numeric/lanes.h"

namespace m3lak {

/// max(0, 1 - y f), or nothing if y = 0, no label: what a label costs, without C. Numbers may be
/// single or lanes.
template <class Number>
Number hinge_loss(Number y, Number f) {
  return y * y * positive_part(1 - y * f);
}

/// With ζ = 1 - y f: 2C max(0, ζ) if λ is integrated out, else (λ + Cζ)²/(2λ). Nothing if y = 0, no
/// label. Numbers may be single or lanes.
struct Hinge {
  double C = 1;
  bool integrated = true;

  template <class Number>
  Number energy(Number y, Number f, Number inverse_lambda) const {
    const auto c = static_cast<typename ScalarOf<Number>::Type>(C);
    if (integrated) return 2 * c * hinge_loss(y, f);
    const Number zeta = 1 - y * f;
    // Without λ/2, which no move changes.
    return y * y * (c * zeta + c * c * zeta * zeta * inverse_lambda / 2);
  }

  /// By f.
  template <class Number>
  Number slope(Number y, Number f, Number inverse_lambda) const {
    const auto c = static_cast<typename ScalarOf<Number>::Type>(C);
    const Number zeta = 1 - y * f;
    if (integrated) return zeta > 0 ? -2 * c * y : Number{};
    return -c * y * (1 + c * zeta * inverse_lambda);
  }
};

}  // namespace m3lak
