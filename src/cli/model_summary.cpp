#include "cli/model_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cli/print.h"

namespace m3lak::cli {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Means over the iterations that count: those that were kept, or all if none was.
struct Sampling {
  double latent_acceptance = unknown;
  double frequency_acceptance = unknown;
  double components = unknown;
  double training_accuracy = unknown;
};

/// The mean of those that are a number.
template <class Value>
double mean_over(const std::vector<const TraceRow*>& rows, const Value& value) {
  double sum = 0;
  int count = 0;
  for (const TraceRow* row : rows) {
    const double term = value(*row);
    if (std::isnan(term)) continue;
    sum += term;
    ++count;
  }
  return count > 0 ? sum / count : unknown;
}

Sampling sampling_of(const Model& model) {
  const std::vector<TraceRow>& trace = model.trace();
  const bool any_kept =
      std::any_of(trace.begin(), trace.end(), [](const TraceRow& row) { return row.kept; });
  std::vector<const TraceRow*> rows;
  for (const TraceRow& row : trace) {
    if (row.kept == any_kept) rows.push_back(&row);
  }
  return {mean_over(rows, [](const TraceRow& row) { return row.latent_acceptance; }),
          mean_over(rows, [](const TraceRow& row) { return row.frequency_acceptance; }),
          mean_over(rows, [](const TraceRow& row) { return static_cast<double>(row.components); }),
          mean_over(rows, [](const TraceRow& row) {
            return row.training_accuracy < 0 ? unknown : row.training_accuracy;
          })};
}

/// The posterior mean of the noise variance of a view, in units of the scaled data.
double noise_variance(const Model& model, std::size_t view) {
  if (model.draws().empty()) return unknown;
  const double sum = std::accumulate(
      model.draws().begin(), model.draws().end(), 0.0,
      [view](double sum, const Draw& draw) { return sum + 1 / draw.views[view].noise; });
  return sum / static_cast<double>(model.draws().size());
}

/// "-" if there is none.
std::string number(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

Json views_json(const Model& model) {
  Json views = Json::array();
  const auto& scales = model.scaler().views();
  for (std::size_t v = 0; v < scales.size(); ++v) {
    views.push_back({{"name", scales[v].name},
                     {"features", scales[v].mean.size()},
                     {"noise_variance", noise_variance(model, v)}});
  }
  return views;
}

Json checks_json(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name},
                    {"passed", check.passed},
                    {"value", check.value},
                    {"meaning", check.meaning},
                    {"remedy", check.remedy}});
  }
  return list;
}

std::string changed_settings_text(const Options& options) {
  std::vector<std::vector<std::string>> rows = {{"setting", "value", "default"}};
  for (const Parameter& parameter : parameters()) {
    const std::string value = get(options, parameter.name);
    const std::string usual = get(Options{}, parameter.name);
    if (value != usual) rows.push_back({parameter.name, value, usual});
  }
  return rows.size() == 1 ? "all settings have their defaults\n" : table(rows);
}

std::string tried_text(const Model& model) {
  std::vector<std::vector<std::string>> rows = {
      {"scaling", "variance of views", "C", "accuracy", "log-loss", "weight"}};
  for (const Tried& tried : model.tried()) {
    const bool is_given = tried.variances.sum() > 0;
    rows.push_back({name_of(tried.scaling),
                    is_given ? fmt::format("{:.2f}", fmt::join(tried.variances, " ")) : "as scaled",
                    fmt::format("{}", tried.C), number(tried.accuracy, 4),
                    number(tried.log_loss, 4), tried.weight > 0 ? number(tried.weight, 2) : "-"});
  }
  return "\ncross-validation inside of the training data:\n" + table(rows);
}

}  // namespace

Json settings_json(const Options& options) {
  Json settings = Json::object();
  for (const Parameter& parameter : parameters()) {
    const std::string text = get(options, parameter.name);
    const Json value = Json::accept(text) ? Json::parse(text) : Json(text);
    settings[parameter.name] = value.is_number() ? value : Json(text);
  }
  return settings;
}

Json model_json(const Model& model) {
  const Sampling sampling = sampling_of(model);
  Json tried = Json::array();
  for (const Tried& each : model.tried()) {
    tried.push_back({{"scaling", name_of(each.scaling)},
                     {"view_variances", each.variances},
                     {"C", each.C},
                     {"accuracy", each.accuracy},
                     {"log_loss", each.log_loss},
                     {"weight", each.weight}});
  }
  Json members = Json::array();
  for (const Model& member : model.members()) {
    members.push_back({{"scaling", name_of(member.options().scaling)},
                       {"C", member.options().C},
                       {"base_scale", member.options().base_scale},
                       {"weight", member.weight()}});
  }
  const std::vector<Check> checks = model.checks();
  return {{"views", views_json(model)},
          {"classes", model.classes()},
          {"draws", model.draws().size()},
          {"stopped_early", model.stopped_early()},
          {"latent_acceptance", sampling.latent_acceptance},
          {"frequency_acceptance", sampling.frequency_acceptance},
          {"components", sampling.components},
          {"training_accuracy", sampling.training_accuracy},
          {"C", model.options().C},
          {"tried", tried},
          {"members", members},
          {"settings", settings_json(model.options())},
          {"trusted", is_trusted(checks)},
          {"checks", checks_json(checks)}};
}

std::string contents_text(const Model& model) {
  std::vector<std::vector<std::string>> rows = {{"view", "features", "noise variance"}};
  const auto& scales = model.scaler().views();
  for (std::size_t v = 0; v < scales.size(); ++v) {
    rows.push_back(
        {scales[v].name, with_commas(scales[v].mean.size()), number(noise_variance(model, v), 3)});
  }
  std::string classes;
  for (const std::string& name : model.classes()) classes += (classes.empty() ? "" : ", ") + name;
  return changed_settings_text(model.options()) + "\n" + table(rows) + "\nclasses: " + classes +
         "\n";
}

std::string sampling_text(const Model& model) {
  const Sampling sampling = sampling_of(model);
  const int chains = model.options().chains;
  std::string text = fmt::format(
      "draws                {} of {} chain{}{}\n"
      "accepted moves       {} of h, {} of the frequencies\n"
      "mixture components   {}\n"
      "training accuracy    {} (by the views alone)\n"
      "C                    {}\n",
      with_commas(static_cast<long long>(model.draws().size())), chains, chains == 1 ? "" : "s",
      model.stopped_early() ? " (stopped early)" : "", number(sampling.latent_acceptance, 2),
      number(sampling.frequency_acceptance, 2), number(sampling.components, 1),
      number(sampling.training_accuracy, 4), model.options().C);
  return model.tried().empty() ? text : text + tried_text(model);
}

std::string checks_text(const std::vector<Check>& checks, bool only_failed) {
  std::string text;
  std::size_t failed = 0;
  for (const Check& check : checks) {
    failed += check.passed ? 0 : 1;
    if (check.passed && only_failed) continue;
    text += fmt::format("{}: {} ({:.4g})\n  {}\n", check.name, check.passed ? "passed" : "FAILED",
                        check.value, check.meaning);
    if (!check.remedy.empty()) text += fmt::format("  What to do: {}\n", check.remedy);
  }
  if (failed == 0) return text + fmt::format("all {} checks passed\n", checks.size());
  return text +
         fmt::format("{} of {} checks failed: take results with care\n", failed, checks.size());
}

bool is_trusted(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed; });
}

}  // namespace m3lak::cli
