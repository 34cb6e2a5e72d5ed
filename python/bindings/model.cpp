#include "m3lak/model.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interruptible.h"

namespace nb = nanobind;

namespace m3lak::python {

namespace {

/// The model, if there is one, and what interrupted it: an exception to be raised, or None.
/// `progress` is called with stage, done, total and the training accuracy (negative: not known).
nb::tuple fit_watched(const Dataset& data, const Options& options,
                      const std::optional<nb::callable>& progress) {
  std::mutex mutex;
  Progress last;
  std::optional<Model> model;
  const auto look = [&] {
    if (!progress) return;
    Progress now;
    {
      const std::lock_guard lock(mutex);
      now = last;
    }
    if (now.total > 0) {
      (*progress)(now.stage, now.done, now.total, now.last.training_accuracy);
    }
  };
  const nb::object error = run_interruptibly(
      [&](const std::atomic<bool>& stop) {
        Callbacks callbacks;
        callbacks.stop = [&stop] { return stop.load(); };
        callbacks.progress = [&](const Progress& now) {
          const std::lock_guard lock(mutex);
          const double accuracy = last.last.training_accuracy;
          last = now;
          if (last.last.training_accuracy < 0) last.last.training_accuracy = accuracy;
        };
        model = fit(data, options, callbacks);
      },
      look);
  if (error.is_none()) look();
  return nb::make_tuple(model, error);
}

template <class Get>
auto column(const Model& model, const Get& get) {
  Vector values(static_cast<Index>(model.trace().size()));
  for (Index i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(get(model.trace()[static_cast<std::size_t>(i)]));
  }
  return values;
}

/// One row an entry of the trace.
DenseMatrix rows(const Model& model, Vector TraceRow::*field) {
  const auto& trace = model.trace();
  const Index columns = trace.empty() ? 0 : (trace.front().*field).size();
  DenseMatrix values(static_cast<Index>(trace.size()), columns);
  for (Index i = 0; i < values.rows(); ++i) {
    values.row(i) = (trace[static_cast<std::size_t>(i)].*field).transpose();
  }
  return values;
}

nb::dict trace_of(const Model& model) {
  nb::dict trace;
  trace["chain"] = column(model, [](const TraceRow& row) { return row.chain; });
  trace["iteration"] = column(model, [](const TraceRow& row) { return row.iteration; });
  trace["kept"] = column(model, [](const TraceRow& row) { return row.kept; });
  trace["log_joint"] = column(model, [](const TraceRow& row) { return row.log_joint; });
  trace["latent_acceptance"] =
      column(model, [](const TraceRow& row) { return row.latent_acceptance; });
  trace["frequency_acceptance"] =
      column(model, [](const TraceRow& row) { return row.frequency_acceptance; });
  trace["components"] = column(model, [](const TraceRow& row) { return row.components; });
  trace["weight_norm"] = column(model, [](const TraceRow& row) { return row.weight_norm; });
  trace["kernel_scale"] = column(model, [](const TraceRow& row) { return row.kernel_scale; });
  trace["training_accuracy"] =
      column(model, [](const TraceRow& row) { return row.training_accuracy; });
  trace["noise"] = rows(model, &TraceRow::noise);
  trace["score"] = rows(model, &TraceRow::probes);
  return trace;
}

nb::list checks_of(const Model& model) {
  nb::list checks;
  for (const Check& check : model.checks()) {
    nb::dict entry;
    entry["name"] = check.name;
    entry["passed"] = check.passed;
    entry["value"] = check.value;
    entry["meaning"] = check.meaning;
    entry["remedy"] = check.remedy;
    checks.append(entry);
  }
  return checks;
}

/// The numbers where they are, as an array that cannot be written to.
template <class Plain>
Eigen::Map<const Plain> map_of(const Kept<Plain>& matrix) {
  return matrix;
}

nb::list tried_of(const Model& model) {
  nb::list all;
  for (const Tried& tried : model.tried()) {
    nb::dict entry;
    entry["scaling"] = name_of(tried.scaling);
    entry["view_variances"] = tried.variances;
    entry["C"] = tried.C;
    entry["accuracy"] = tried.accuracy;
    entry["log_loss"] = tried.log_loss;
    entry["weight"] = tried.weight;
    all.append(entry);
  }
  return all;
}

nb::list scales_of(const Model& model) {
  nb::list all;
  for (const Scaler::ViewScale& view : model.scaler().views()) {
    nb::dict entry;
    entry["name"] = view.name;
    entry["mean"] = view.mean;
    entry["factor"] = view.factor;
    all.append(entry);
  }
  return all;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Prediction>(module, "Prediction")
      .def_ro("label", &Prediction::label)
      .def_ro("score", &Prediction::score)
      .def_ro("spread", &Prediction::spread)
      .def_ro("probability", &Prediction::probability)
      .def_ro("probability_spread", &Prediction::probability_spread)
      .def_ro("latent", &Prediction::latent)
      .def_ro("latent_spread", &Prediction::latent_spread);

  nb::class_<Draw::ViewDraw>(module, "ViewDraw", "What a draw says about one view.")
      .def_prop_ro("projection", [](const Draw::ViewDraw& view) { return map_of(view.projection); })
      .def_ro("relevance", &Draw::ViewDraw::relevance)
      .def_ro("noise", &Draw::ViewDraw::noise);
  nb::class_<FrequencyComponent>(module, "FrequencyComponent")
      .def_ro("weight", &FrequencyComponent::weight)
      .def_ro("mean", &FrequencyComponent::mean)
      .def_ro("factor", &FrequencyComponent::factor);
  nb::class_<Draw>(module, "Draw", "One draw from the posterior.")
      .def_ro("views", &Draw::views)
      .def_prop_ro("frequencies", [](const Draw& draw) { return map_of(draw.frequencies); })
      .def_prop_ro("weights", [](const Draw& draw) { return map_of(draw.weights); })
      .def_prop_ro("linear_weights", [](const Draw& draw) { return map_of(draw.linear_weights); })
      .def_ro("components", &Draw::components)
      .def_ro("component_of", &Draw::component_of);

  nb::class_<Model>(module, "Model", "A trained classifier.")
      .def(
          "predict",
          [](const Model& self, const Dataset& data, int threads, bool latent_spread) {
            return self.predict(data, threads, latent_spread ? Extra::latent_spread : Extra::none);
          },
          nb::arg("data"), nb::arg("threads"), nb::arg("latent_spread"),
          nb::call_guard<nb::gil_scoped_release>())
      .def("save", &Model::save, nb::arg("file"), nb::call_guard<nb::gil_scoped_release>())
      .def_static("load", &Model::load, nb::arg("file"), nb::call_guard<nb::gil_scoped_release>())
      .def("bytes",
           [](const Model& self) {
             const std::string bytes = self.bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static("from_bytes",
                  [](const nb::bytes& bytes) {
                    return Model::from_bytes({bytes.c_str(), bytes.size()});
                  })
      .def_prop_ro("members", &Model::members)
      .def_prop_ro("weight", &Model::weight)
      .def_prop_ro("options", &Model::options)
      .def_prop_ro("scales", &scales_of)
      .def_prop_ro("classes", &Model::classes)
      .def_prop_ro("feature_names", &Model::feature_names)
      .def_prop_ro("draws", &Model::draws)
      .def_prop_ro("turns", &Model::turns)
      .def_prop_ro("linear_weights", &Model::linear_weights)
      .def_prop_ro("trace", &trace_of)
      .def_prop_ro("tried", &tried_of)
      .def_prop_ro("checks", &checks_of)
      .def_prop_ro("stopped_early", &Model::stopped_early);

  module.def("fit", &fit_watched, nb::arg("data"), nb::arg("options"), nb::arg("progress").none());
}

}  // namespace m3lak::python
