#include "model/relevance.h"

#include "numeric/distributions.h"

namespace m3lak {

void draw_relevance(Stream stream, const Options& options, Index features, ViewState& view) {
  for (Index j = 0; j < view.relevance.size(); ++j) {
    view.relevance[j] = gamma(stream, options.relevance_shape + 0.5 * static_cast<double>(features),
                              options.relevance_rate + 0.5 * view.gram(j, j));
  }
}

}  // namespace m3lak
