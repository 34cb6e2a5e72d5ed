#include "m3lak/classifier.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interruptible.h"

namespace nb = nanobind;

namespace m3lak::python {

namespace {

std::unique_ptr<Classifier> make(const std::string& method, std::uint64_t seed, bool tune,
                                 int latent, double C) {
  MethodSettings settings;
  settings.options.seed = seed;
  settings.tune = tune;
  settings.latent = latent;
  settings.C = C;
  return method_of(method, settings).make();
}

nb::object fit(Classifier& self, const Dataset& data, int threads) {
  return run_interruptibly(
      [&](const std::atomic<bool>& stop) {
        self.fit(data, threads, [&stop] { return stop.load(); });
      },
      {});
}

}  // namespace

void bind_classifier(nb::module_& module) {
  nb::class_<Classifier>(module, "Classifier", "Any of the methods, by its name.")
      .def_static("make", &make, nb::arg("method"), nb::arg("seed"), nb::arg("tune"),
                  nb::arg("latent"), nb::arg("C"))
      .def("fit", &fit, nb::arg("data"), nb::arg("threads"),
           "What interrupted it, or None: an exception to be raised.")
      .def("predict", &Classifier::predict, nb::arg("data"), nb::arg("threads"),
           nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace m3lak::python
