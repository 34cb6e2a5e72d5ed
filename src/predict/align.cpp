#include "predict/align.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "m3lak/error.h"

namespace m3lak {

namespace {

std::vector<std::string> names(const std::vector<View>& views) {
  std::vector<std::string> result;
  for (const View& view : views) result.push_back(view.name);
  return result;
}

std::vector<std::string> names(const std::vector<Scaler::ViewScale>& views) {
  std::vector<std::string> result;
  for (const Scaler::ViewScale& view : views) result.push_back(view.name);
  return result;
}

View absent_view(const std::string& name, Index instances, Index features) {
  View view;
  view.name = name;
  view.values = SparseMatrix(instances, features);
  view.absent.assign(static_cast<std::size_t>(instances), 1);
  return view;
}

void check_features(const View& view, Index features, const std::vector<std::string>& known) {
  if (view.features() != features) {
    throw BadData(fmt::format("view '{}' has {} features; the model was trained with {}", view.name,
                              view.features(), features));
  }
  if (view.feature_names.empty() || known.empty() || view.feature_names == known) return;
  const auto place = std::ranges::mismatch(view.feature_names, known);
  throw BadData(fmt::format(
      "view '{}': column {} is '{}', but '{}' when the model was trained: give the columns the "
      "same order and names",
      view.name, place.in1 - view.feature_names.begin() + 1, *place.in1, *place.in2));
}

}  // namespace

Dataset align(Dataset data, const Model::Parts& model) {
  const auto& trained = model.scaler.views();
  Dataset aligned;
  aligned.instance_names = std::move(data.instance_names);
  const Index instances = data.instances();
  std::size_t used = 0;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    const Index features = trained[i].mean.size();
    const auto found = std::ranges::find(data.views, trained[i].name, &View::name);
    if (found == data.views.end()) {
      aligned.views.push_back(absent_view(trained[i].name, instances, features));
      continue;
    }
    check_features(*found, features, model.feature_names[i]);
    aligned.views.push_back(std::move(*found));
    found->name.clear();
    ++used;
  }
  if (used != data.views.size() || used == 0) {
    std::vector<std::string> others = names(data.views);
    std::erase(others, "");
    throw BadData(fmt::format("the model knows no view '{}'; it was trained on '{}'",
                              fmt::join(others, "', '"), fmt::join(names(trained), "', '")));
  }
  return aligned;
}

}  // namespace m3lak
