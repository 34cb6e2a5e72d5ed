#include "m3lak/options.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace nb = nanobind;

namespace m3lak::python {

void bind_options(nb::module_& module) {
  nb::class_<Parameter>(module, "Parameter", "One row of the table of settings.")
      .def_ro("name", &Parameter::name)
      .def_ro("symbol", &Parameter::symbol)
      .def_ro("help", &Parameter::help)
      .def_ro("values", &Parameter::values);
  module.def(
      "parameters", [] { return parameters(); }, "The table of settings.");

  nb::class_<Options>(module, "Options", "Settings, by name and as text.")
      .def(nb::init<>())
      .def_static("preset", &Options::preset, nb::arg("name"))
      .def("get", [](const Options& self, const std::string& name) { return get(self, name); })
      .def("set", [](Options& self, const std::string& name,
                     const std::string& value) { set(self, name, value); })
      .def("check", &Options::check);
}

}  // namespace m3lak::python
