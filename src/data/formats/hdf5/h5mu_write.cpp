#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "data/dense_view.h"
#include "data/formats/hdf5/h5mu.h"
#include "data/formats/hdf5/hdf5_writer.h"
#include "m3lak/error.h"
#include "m3lak/version.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

using Texts = std::vector<std::string>;

Texts numbered(const std::string& prefix, Index count) {
  Texts names;
  for (Index i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

/// Names HDF5 can give a group: a slash would begin another one.
std::string modality_name(const View& view, std::size_t number) {
  std::string name = view.name.empty() ? fmt::format("view{}", number) : view.name;
  std::ranges::replace(name, '/', '_');
  return name;
}

/// With the modality's name where we make them up: MuData warns if two modalities share a name.
Texts feature_names(const View& view, const std::string& modality) {
  return view.feature_names.empty() ? numbered(modality + ":f", view.features())
                                    : view.feature_names;
}

std::vector<Index> rows_with(const View& view) {
  std::vector<Index> rows;
  for (Index i = 0; i < view.instances(); ++i) {
    if (view.has(i)) rows.push_back(i);
  }
  return rows;
}

void write_frame(Hdf5Writer& file, const std::string& object, const Texts& index,
                 const Texts& columns = {}) {
  file.encoded_group(object, "dataframe", "0.2.0");
  file.attribute(object, "_index", std::string("_index"));
  file.attribute(object, "column-order", columns);
  file.texts(object + "/_index", index);
}

void write_empty_groups(Hdf5Writer& file, const std::string& parent,
                        std::initializer_list<const char*> names) {
  for (const char* name : names) file.encoded_group(parent + "/" + name, "dict", "0.1.0");
}

void write_values(Hdf5Writer& file, const std::string& object, const View& view) {
  if (view.is_sparse()) {
    file.sparse(object, view.sparse());
  } else {
    with_dense(view, [&](const auto& values) {
      file.array(object, DenseMatrix(values.template cast<double>()));
    });
  }
}

void write_modality(Hdf5Writer& file, const std::string& modality, const View& view,
                    const Texts& instance_names) {
  const std::string object = "/mod/" + modality;
  file.encoded_group(object, "anndata", "0.1.0");
  const std::vector<Index> rows = rows_with(view);
  if (view.absent_count() == 0) {
    write_values(file, object + "/X", view);
  } else {
    Dataset one;
    one.views = {view};
    write_values(file, object + "/X", one.select(rows).views.front());
  }
  Texts names;
  for (const Index row : rows) names.push_back(instance_names[static_cast<std::size_t>(row)]);
  write_frame(file, object + "/obs", names);
  write_frame(file, object + "/var", feature_names(view, modality));
  write_empty_groups(file, object, {"layers", "obsm", "obsp", "uns", "varm", "varp"});
}

/// For each instance its row in the modality, from 1; 0: it is not there.
std::vector<std::uint32_t> instance_map(const View& view) {
  std::vector<std::uint32_t> map(static_cast<std::size_t>(view.instances()));
  std::uint32_t next = 0;
  for (const Index row : rows_with(view)) map[static_cast<std::size_t>(row)] = ++next;
  return map;
}

void write_labels(Hdf5Writer& file, const Labels& labels) {
  file.encoded_group("/obs/label", "categorical", "0.2.0");
  file.attribute("/obs/label", "ordered", false);
  file.texts("/obs/label/categories", labels.classes);
  file.array("/obs/label/codes", std::span<const std::int32_t>(labels.of));
}

/// MuData knows its files by what their first bytes say.
void sign(const fs::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file << fmt::format("MuData (format-version=0.1.0;creator=m3lak;creator-version={})", version());
  file.close();
  if (!file) throw Error(fmt::format("{}: cannot be written", path.string()));
}

}  // namespace

void write_h5mu(const Dataset& data, const fs::path& path) {
  Hdf5Writer file(path, 512);
  const Texts instances =
      data.instance_names.empty() ? numbered("i", data.instances()) : data.instance_names;
  file.attribute("/", "encoding-type", std::string("MuData"));
  file.attribute("/", "encoding-version", std::string("0.1.0"));
  write_frame(file, "/obs", instances, data.labels ? Texts{"label"} : Texts{});
  if (data.labels) write_labels(file, *data.labels);
  write_empty_groups(file, "", {"obsm", "obsp", "obsmap", "uns", "varm", "varp", "varmap"});

  Texts modalities, features;
  for (const View& view : data.views) {
    modalities.push_back(modality_name(view, modalities.size() + 1));
    std::ranges::copy(feature_names(view, modalities.back()), std::back_inserter(features));
  }
  write_frame(file, "/var", features);
  file.group("/mod");
  file.attribute("/mod", "mod-order", modalities);
  std::size_t before = 0;
  for (std::size_t v = 0; v < data.views.size(); ++v) {
    const View& view = data.views[v];
    write_modality(file, modalities[v], view, instances);
    file.array("/obsmap/" + modalities[v], instance_map(view));
    std::vector<std::uint32_t> feature_map(features.size());
    const auto own = feature_map.begin() + static_cast<std::ptrdiff_t>(before);
    std::iota(own, own + view.features(), 1U);
    file.array("/varmap/" + modalities[v], feature_map);
    before += static_cast<std::size_t>(view.features());
  }
  file.close();
  sign(path);
}

}  // namespace m3lak
