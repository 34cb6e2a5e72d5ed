// Every use of random numbers has a step of its own in the name of its stream.
#pragma once

#include <cstdint>

#include "m3lak/model.h"
#include "numeric/distributions.h"

namespace m3lak::bm2smvl_parts {

enum class Step : std::uint32_t {
  start = 1,
  start_noise,
  loadings,
  means,
  relevance,
  noise,
  weights,
  weight_precision,
  latent,
};

constexpr std::uint32_t number(Step step) { return static_cast<std::uint32_t>(step); }

/// Independent N(0, 1).
inline Matrix normals(Stream& stream, Index rows, Index columns) {
  Matrix e(rows, columns);
  fill_normal(stream, {e.data(), static_cast<std::size_t>(e.size())});
  return e;
}

}  // namespace m3lak::bm2smvl_parts
