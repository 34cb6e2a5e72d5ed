#include "cli/summary.h"

#include <algorithm>

#include "cli/print.h"
#include "data/dense_view.h"
#include "data/moments.h"

namespace m3lak::cli {

namespace {

Json view_json(const View& view) {
  const Moments moments = moments_of(view);
  Index constant = 0;
  for (Index d = 0; d < view.features(); ++d) constant += moments.is_constant(d);
  const Index zeros =
      view.is_sparse()
          ? (view.instances() - view.absent_count()) * view.features() - view.sparse().nonZeros()
          : with_dense(view, [](const auto& values) { return (values.array() == 0).count(); }) -
                view.absent_count() * view.features();
  const auto cells =
      static_cast<double>((view.instances() - view.absent_count()) * view.features());
  return {{"name", view.name},
          {"features", view.features()},
          {"storage", view.is_sparse() ? "sparse" : "dense"},
          {"zero_share", static_cast<double>(zeros) / cells},
          {"constant_features", constant},
          {"missing_instances", view.absent_count()},
          {"missing_cells", view.missing_cells()},
          {"total_variance", moments.total_variance()}};
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// "-" for zero, so that what is unusual stands out.
std::string count(const Json& number) {
  return number.get<Index>() == 0 ? "-" : with_commas(number.get<Index>());
}

}  // namespace

Json summary_json(const Dataset& data) {
  Json summary = {{"instances", data.instances()},
                  {"features", data.features()},
                  {"named_instances", !data.instance_names.empty()},
                  {"views", Json::array()},
                  {"labels", nullptr}};
  for (const View& view : data.views) summary["views"].push_back(view_json(view));
  if (data.labels) {
    Json classes = Json::array();
    const std::vector<Index> counts = data.labels->counts();
    for (std::size_t c = 0; c < counts.size(); ++c) {
      classes.push_back({{"name", data.labels->classes[c]}, {"count", counts[c]}});
    }
    summary["labels"] = {{"classes", classes}, {"unknown", data.labels->unknown_count()}};
  }
  return summary;
}

std::string summary_text(const Json& summary) {
  const Json& views = summary["views"];
  std::string text = fmt::format(
      "{} instances, {} view{}, {} features\n\n", with_commas(summary["instances"].get<Index>()),
      views.size(), views.size() == 1 ? "" : "s", with_commas(summary["features"].get<Index>()));
  std::vector<std::vector<std::string>> rows = {
      {"view", "features", "storage", "zeros", "constant", "missing instances", "missing cells"}};
  for (const Json& view : views) {
    rows.push_back({view["name"].get<std::string>(), with_commas(view["features"].get<Index>()),
                    view["storage"].get<std::string>(), percent(view["zero_share"].get<double>()),
                    count(view["constant_features"]), count(view["missing_instances"]),
                    count(view["missing_cells"])});
  }
  text += table(rows) + "\n";

  const Json& labels = summary["labels"];
  if (labels.is_null()) return text + "no labels\n";
  rows = {{"class", "instances", "share"}};
  const auto add = [&](const std::string& name, Index number) {
    const auto share = static_cast<double>(number) / summary["instances"].get<double>();
    rows.push_back({name, with_commas(number), percent(share)});
  };
  constexpr std::size_t shown = 20;
  const Json& classes = labels["classes"];
  for (std::size_t c = 0; c < std::min(shown, classes.size()); ++c) {
    add(classes[c]["name"].get<std::string>(), classes[c]["count"].get<Index>());
  }
  if (labels["unknown"].get<Index>() > 0) add("(unknown)", labels["unknown"].get<Index>());
  text += table(rows);
  if (classes.size() > shown) text += fmt::format("  … {} classes in all\n", classes.size());
  return text;
}

}  // namespace m3lak::cli
