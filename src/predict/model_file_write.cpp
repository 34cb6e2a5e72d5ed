#include <fmt/format.h>

#include <ostream>

#include "data/checksum.h"
#include "inference/draw_store.h"
#include "m3lak/error.h"
#include "m3lak/version.h"
#include "predict/model_file.h"
#include "predict/model_layout.h"

namespace m3lak {

namespace {

using namespace model_file;

[[noreturn]] void contradiction(const std::string& what) {
  throw Error(fmt::format(
      "the model contradicts itself and is not written: {}; this is an error of m3lak", what));
}

/// Writes arrays, and checks that they have the shapes that the header gives them.
class ArrayWriter {
 public:
  explicit ArrayWriter(CheckedOutput& output) : output_(output) {}

  void begin(const std::string& name, const std::vector<Index>&) { name_ = name; }

  template <class Rows>
  void rows(const Rows& matrix, Index rows, Index columns) {
    require(matrix.rows() == rows && matrix.cols() == columns, name_.c_str());
    const DenseMatrix numbers_in_rows = matrix;
    numbers(numbers_in_rows.data(), matrix.size());
  }
  void rows(const Kept<DenseMatrix>& matrix, Index rows, Index columns) {
    kept(matrix, rows, columns);
  }
  void columns(const Kept<Matrix>& matrix, Index rows, Index columns) {
    kept(matrix, rows, columns);
  }
  void number(double value) { numbers(&value, 1); }
  void flag(bool value) { number(value ? 1 : 0); }
  void scaling(Scaling value) { number(static_cast<int>(value)); }
  void integer(int value, Index limit) {
    require(value >= 0 && value < limit, name_.c_str());
    number(value);
  }
  void integers(const std::vector<int>& values, Index size, Index limit) {
    require(static_cast<Index>(values.size()) == size, name_.c_str());
    for (const int value : values) integer(value, limit);
  }
  void count(const std::vector<FrequencyComponent>& components, Index) {
    number(static_cast<double>(components.size()));
  }
  void require(bool holds, const char* what) const {
    if (!holds) contradiction(what);
  }

 private:
  template <class Plain>
  void kept(const Kept<Plain>& matrix, Index rows, Index columns) {
    require(matrix.rows() == rows && matrix.cols() == columns, name_.c_str());
    numbers(matrix.data(), matrix.size());
    forget(matrix);
  }

  void numbers(const double* values, Index count) {
    output_.bytes(values, static_cast<std::size_t>(count) * sizeof(double));
  }

  CheckedOutput& output_;
  std::string name_;
};

Sizes sizes_of(const Model::Parts& parts) {
  Sizes sizes;
  for (const auto& view : parts.scaler.views()) sizes.features.push_back(view.mean.size());
  sizes.latent = parts.options.latent;
  sizes.private_latent = parts.options.private_latent;
  sizes.frequencies = parts.options.features;
  sizes.weight_columns = weight_columns(parts.classes.size());
  sizes.directions = parts.directions.empty() ? 0 : parts.directions.front().cols();
  if (std::ssize(parts.directions) != sizes.views()) contradiction("directions");
  sizes.draws = static_cast<Index>(parts.draws.size());
  for (const Draw& draw : parts.draws) {
    if (static_cast<Index>(draw.views.size()) != sizes.views()) contradiction("views of a draw");
    sizes.components += static_cast<Index>(draw.components.size());
  }
  sizes.trace_rows = static_cast<Index>(parts.trace.size());
  sizes.tried = static_cast<Index>(parts.tried.size());
  sizes.probes = parts.trace.empty() ? 0 : parts.trace.front().probes.size();
  return sizes;
}

/// Names come from files of any encoding, and JSON takes UTF-8 only: others become lists of bytes.
Json json_text(const std::string& text) {
  const Json json = text;
  try {
    static_cast<void>(json.dump());
    return json;
  } catch (const Json::type_error&) {
    return std::vector<std::uint8_t>(text.begin(), text.end());
  }
}

Json json_texts(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(json_text(text));
  return list;
}

Json json_settings(const Options& options) {
  Json settings = Json::object();
  for (const Parameter& parameter : parameters()) {
    // Results do not depend on the threads, so neither does the file.
    if (parameter.name != "threads") settings[parameter.name] = get(options, parameter.name);
  }
  return settings;
}

Json json_views(const Model::Parts& parts) {
  Json views = Json::array();
  const auto& scales = parts.scaler.views();
  if (parts.feature_names.size() != scales.size()) contradiction("feature names");
  for (std::size_t v = 0; v < scales.size(); ++v) {
    const auto& names = parts.feature_names[v];
    const Index features = scales[v].mean.size();
    if (!names.empty() && static_cast<Index>(names.size()) != features) {
      contradiction("feature names");
    }
    views.push_back({{"name", json_text(scales[v].name)},
                     {"features", features},
                     {"feature_names", json_texts(names)}});
  }
  return views;
}

Json header_of(const Model::Parts& parts, const Plan& plan, std::size_t others) {
  return {{"program", fmt::format("m3lak {}", version())},
          {"others", others},
          {"settings", json_settings(parts.options)},
          {"classes", json_texts(parts.classes)},
          {"scaling", name_of(parts.scaler.scaling())},
          {"views", json_views(parts)},
          {"stopped_early", parts.stopped_early},
          {"trace_columns", trace_columns()},
          {"arrays", plan.arrays()}};
}

/// One fit, and how many others follow it. Its numbers begin at a multiple of their size.
void write_fit(const Model::Parts& parts, std::size_t others, CheckedOutput& output) {
  const Sizes sizes = sizes_of(parts);
  std::string header = header_of(parts, Plan(sizes), others).dump();
  const std::size_t before = output.written() + sizeof(std::uint64_t);
  while ((before + header.size()) % sizeof(double) != 0) header += ' ';
  const std::uint64_t length = header.size();
  output.bytes(&length, sizeof length);
  output.text(header);
  ArrayWriter arrays(output);
  exchange(arrays, parts, parts.scaler.views(), sizes);
}

}  // namespace

void write_model(const Model::Parts& parts, std::ostream& out) {
  CheckedOutput output(out);
  output.text(fmt::format("{}{}\n", magic, format));
  std::size_t left = parts.others.size();
  write_fit(parts, left, output);
  for (const auto& other : parts.others) write_fit(*other, --left, output);
  output.finish();
}

}  // namespace m3lak
