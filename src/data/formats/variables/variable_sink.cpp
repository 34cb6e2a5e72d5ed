#include "data/formats/variables/variable_sink.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <list>

#include "data/dense_view.h"
#include "data/label_text.h"

namespace m3lak {

void write_variables(const Dataset& data, VariableSink& sink) {
  const auto views = static_cast<Index>(data.views.size());
  std::list<DenseMatrix> changed;  // kept until the sink has finished
  DenseMatrix missing = DenseMatrix::Zero(data.instances(), views);
  std::vector<std::string> view_names;
  for (Index v = 0; v < views; ++v) {
    const View& view = data.views[static_cast<std::size_t>(v)];
    const std::string name = fmt::format("X{}", v + 1);
    if (view.is_sparse()) {
      sink.matrix(name, view.sparse());
    } else {
      const auto* own = std::get_if<DenseMatrix>(&view.values);
      const bool as_it_is = own != nullptr && view.absent_count() == 0;
      sink.matrix(name, as_it_is ? *own : changed.emplace_back(with_absent_as_nan(view)));
    }
    for (Index i = 0; i < data.instances(); ++i) missing(i, v) = view.has(i) ? 0.0 : 1.0;
    if (!view.feature_names.empty()) {
      sink.texts(fmt::format("feature_names_{}", v + 1), view.feature_names);
    }
    view_names.push_back(view.name);
  }
  sink.texts("view_names", view_names);
  if (!missing.isZero(0.0)) sink.matrix("missing", missing);
  if (!data.instance_names.empty()) sink.texts("instance_names", data.instance_names);

  const auto values = data.labels ? numeric_labels(*data.labels) : std::nullopt;
  const auto texts = data.labels ? label_texts(*data.labels) : std::vector<std::string>();
  if (values) {
    sink.numbers("y", *values);
  } else if (data.labels) {
    sink.texts("y", texts);
  }
  sink.finish();
}

DenseMatrix with_absent_as_nan(const View& view) {
  DenseMatrix values = with_dense(
      view, [](const auto& dense) -> DenseMatrix { return dense.template cast<double>(); });
  for (Index i = 0; i < values.rows(); ++i) {
    if (!view.has(i)) values.row(i).setConstant(std::nan(""));
  }
  return values;
}

std::optional<std::vector<double>> numeric_labels(const Labels& labels) {
  std::vector<double> of_class;
  for (const std::string& text : labels.classes) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
        label_text(value) != text) {
      return std::nullopt;
    }
    of_class.push_back(value);
  }
  std::vector<double> values;
  for (const int label : labels.of) {
    values.push_back(label == Labels::unknown ? std::nan("")
                                              : of_class[static_cast<std::size_t>(label)]);
  }
  return values;
}

std::vector<std::string> label_texts(const Labels& labels) {
  std::vector<std::string> texts;
  for (const int label : labels.of) {
    texts.push_back(label == Labels::unknown ? ""
                                             : labels.classes[static_cast<std::size_t>(label)]);
  }
  return texts;
}

}  // namespace m3lak
