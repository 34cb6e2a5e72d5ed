#include "data/labelled.h"

#include "m3lak/error.h"

namespace m3lak {

Dataset labelled(const Dataset& data, const std::string& method) {
  std::vector<Index> known;
  for (std::size_t n = 0; data.labels && n < data.labels->of.size(); ++n) {
    if (data.labels->of[n] != Labels::unknown) known.push_back(static_cast<Index>(n));
  }
  if (known.empty()) throw BadData(method + ": the training data has no labels");
  return data.select(known);
}

}  // namespace m3lak
