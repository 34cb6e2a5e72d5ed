#include "rivals/standard_views.h"

#include "data/gram.h"

namespace m3lak {

StandardViews::StandardViews(const Dataset& training)
    : scaler_(Scaler::fit(training, Scaling::standardize)) {}

std::vector<DenseMatrix> StandardViews::operator()(const Dataset& data) const {
  Dataset scaled{data.views, {}, {}};
  scaler_.apply(scaled);
  std::vector<DenseMatrix> views;
  for (const View& view : scaled.views) views.push_back(rows_of(view));
  return views;
}

}  // namespace m3lak
