// What is in a model file, and in which order: the one description that writing and reading follow.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "predict/model_parts.h"

namespace m3lak::model_file {

using Json = nlohmann::ordered_json;

inline constexpr const char* magic = "m3lak model ";
inline constexpr int format = 1;

/// All sizes that shapes are made of.
struct Sizes {
  std::vector<Index> features;  ///< of each view
  Index latent = 0;
  Index private_latent = 0;
  Index frequencies = 0;
  Index directions = 0;
  Index weight_columns = 0;
  Index draws = 0;
  Index components = 0;  ///< of all draws together
  Index trace_rows = 0;
  Index tried = 0;
  Index probes = 0;

  Index views() const { return static_cast<Index>(features.size()); }
};

/// One column of weights does for two classes.
inline Index weight_columns(std::size_t classes) {
  return classes == 2 ? 1 : static_cast<Index>(classes);
}

inline const std::vector<std::string>& trace_columns() {
  static const std::vector<std::string> names = {
      "chain",       "iteration",         "kept",
      "log_joint",   "latent_acceptance", "frequency_acceptance",
      "latent_step", "frequency_step",    "components",
      "weight_norm", "kernel_scale",      "training_accuracy"};
  return names;  // and then the noise precision of each view
}

template <class Archive, class Scales>
void exchange_scaler(Archive& archive, Scales& scales, const Sizes& sizes) {
  for (std::size_t v = 0; v < sizes.features.size(); ++v) {
    const std::string view = "view/" + std::to_string(v);
    archive.begin(view + "/mean", {sizes.features[v]});
    if (!scales.empty()) archive.rows(scales[v].mean, sizes.features[v], 1);
    archive.begin(view + "/factor", {sizes.features[v]});
    if (!scales.empty()) archive.rows(scales[v].factor, sizes.features[v], 1);
  }
}

template <class Archive, class Draws>
void exchange_views(Archive& archive, Draws& draws, const Sizes& sizes) {
  const Index columns = sizes.latent + sizes.private_latent;
  for (std::size_t v = 0; v < sizes.features.size(); ++v) {
    const std::string view = "view/" + std::to_string(v);
    const Index features = sizes.features[v];
    archive.begin(view + "/projection", {sizes.draws, features, columns});
    for (auto& draw : draws) archive.rows(draw.views[v].projection, features, columns);
    archive.begin(view + "/relevance", {sizes.draws, sizes.latent});
    for (auto& draw : draws) archive.rows(draw.views[v].relevance, sizes.latent, 1);
    archive.begin(view + "/noise", {sizes.draws});
    for (auto& draw : draws) archive.number(draw.views[v].noise);
  }
}

template <class Archive, class Directions>
void exchange_directions(Archive& archive, Directions& directions, const Sizes& sizes) {
  for (std::size_t v = 0; v < sizes.features.size(); ++v) {
    archive.begin("view/" + std::to_string(v) + "/directions",
                  {sizes.features[v], sizes.directions});
    if (!directions.empty()) archive.rows(directions[v], sizes.features[v], sizes.directions);
  }
}

template <class Archive, class Draws>
void exchange_classifier(Archive& archive, Draws& draws, const Sizes& sizes) {
  const Index weights = 2 * sizes.frequencies + 1;
  archive.begin("frequencies", {sizes.draws, sizes.frequencies, sizes.latent});
  for (auto& draw : draws) archive.columns(draw.frequencies, sizes.latent, sizes.frequencies);
  archive.begin("weights", {sizes.draws, sizes.weight_columns, weights});
  for (auto& draw : draws) archive.columns(draw.weights, weights, sizes.weight_columns);
  archive.begin("linear_weights", {sizes.draws, sizes.weight_columns, sizes.directions});
  for (auto& draw : draws) {
    archive.columns(draw.linear_weights, sizes.directions, sizes.weight_columns);
  }
  archive.begin("weight_precision", {sizes.draws});
  for (auto& draw : draws) archive.number(draw.weight_precision);
}

template <class Archive, class Draws>
void exchange_mixture(Archive& archive, Draws& draws, const Sizes& sizes) {
  const Index m = sizes.latent;
  archive.begin("concentration", {sizes.draws});
  for (auto& draw : draws) archive.number(draw.concentration);

  archive.begin("component_count", {sizes.draws});
  Index left = sizes.components;
  for (auto& draw : draws) {
    archive.count(draw.components, left);
    left -= static_cast<Index>(draw.components.size());
  }
  if (!draws.empty()) archive.require(left == 0, "component_count");

  archive.begin("component_weight", {sizes.components});
  for (auto& draw : draws) {
    for (auto& component : draw.components) archive.number(component.weight);
  }
  archive.begin("component_mean", {sizes.components, m});
  for (auto& draw : draws) {
    for (auto& component : draw.components) archive.rows(component.mean, m, 1);
  }
  archive.begin("component_factor", {sizes.components, m, m});
  for (auto& draw : draws) {
    for (auto& component : draw.components) archive.rows(component.factor, m, m);
  }
  archive.begin("component_of", {sizes.draws, sizes.frequencies});
  for (auto& draw : draws) {
    const auto components = static_cast<Index>(draw.components.size());
    archive.integers(draw.component_of, sizes.frequencies, components);
  }
}

template <class Archive, class Trace>
void exchange_trace(Archive& archive, Trace& trace, const Sizes& sizes) {
  constexpr Index any = std::numeric_limits<int>::max();
  const auto fixed = static_cast<Index>(trace_columns().size());
  archive.begin("trace", {sizes.trace_rows, fixed + sizes.views()});
  for (auto& row : trace) {
    archive.integer(row.chain, any);
    archive.integer(row.iteration, any);
    archive.flag(row.kept);
    archive.number(row.log_joint);
    archive.number(row.latent_acceptance);
    archive.number(row.frequency_acceptance);
    archive.number(row.latent_step);
    archive.number(row.frequency_step);
    archive.integer(row.components, any);
    archive.number(row.weight_norm);
    archive.number(row.kernel_scale);
    archive.number(row.training_accuracy);
    archive.rows(row.noise, sizes.views(), 1);
  }
  archive.begin("probes", {sizes.trace_rows, sizes.probes});
  for (auto& row : trace) archive.rows(row.probes, sizes.probes, 1);
}

/// Goes through all arrays in their order in the file. With empty parts only the shapes are told.
template <class Archive, class Parts, class Scales>
void exchange(Archive& archive, Parts& parts, Scales& scales, const Sizes& sizes) {
  exchange_scaler(archive, scales, sizes);
  exchange_views(archive, parts.draws, sizes);
  exchange_directions(archive, parts.directions, sizes);
  exchange_classifier(archive, parts.draws, sizes);
  exchange_mixture(archive, parts.draws, sizes);
  archive.begin("chain_of", {sizes.draws});
  if (!parts.draws.empty()) archive.integers(parts.chain_of, sizes.draws, parts.options.chains);
  exchange_trace(archive, parts.trace, sizes);
  archive.begin("tried", {sizes.tried, 5 + sizes.views()});
  for (auto& tried : parts.tried) {
    archive.scaling(tried.scaling);
    archive.number(tried.C);
    archive.number(tried.accuracy);
    archive.number(tried.log_loss);
    archive.number(tried.weight);
    archive.rows(tried.variances, sizes.views(), 1);
  }
  archive.begin("link", {2});
  archive.number(parts.link.slope);
  archive.number(parts.link.intercept);
  archive.begin("weight", {1});
  archive.number(parts.weight);
}

/// Lists the arrays as the header does, and adds up their bytes.
class Plan {
 public:
  explicit Plan(const Sizes& sizes) {
    const Model::Parts nothing;
    exchange(*this, nothing, nothing.scaler.views(), sizes);
  }

  const Json& arrays() const { return arrays_; }
  std::uint64_t bytes() const { return bytes_; }

  /// Throws std::length_error if no file could hold that much.
  void begin(const std::string& name, const std::vector<Index>& shape) {
    arrays_.push_back({{"name", name}, {"shape", shape}, {"offset", bytes_}});
    std::uint64_t bytes = sizeof(double);
    bool too_large = false;
    for (const Index size : shape) {
      too_large |= __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes);
    }
    too_large |= __builtin_add_overflow(bytes_, bytes, &bytes_);
    if (too_large) throw std::length_error(name);
  }
  void rows(const auto&, Index, Index) {}
  void columns(const auto&, Index, Index) {}
  void number(double) {}
  void flag(bool) {}
  void scaling(Scaling) {}
  void integer(int, Index) {}
  void integers(const std::vector<int>&, Index, Index) {}
  void count(const std::vector<FrequencyComponent>&, Index) {}
  void require(bool, const char*) {}

 private:
  Json arrays_ = Json::array();
  std::uint64_t bytes_ = 0;
};

}  // namespace m3lak::model_file
