#include <nanobind/stl/string.h>

#include "bindings.h"
#include "m3lak/version.h"

NB_MODULE(_core, module) {
  using namespace m3lak::python;
  module.attr("__doc__") = "The library behind the package; use m3lak itself.";
  module.def("version", [] { return std::string(m3lak::version()); });
  bind_errors(module);
  bind_options(module);
  bind_dataset(module);
  bind_data(module);
  bind_model(module);
  bind_classifier(module);
  bind_mixture(module);
}
