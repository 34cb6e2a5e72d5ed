// The parts of the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace m3lak::python {

void bind_errors(nanobind::module_& module);
void bind_options(nanobind::module_& module);
void bind_dataset(nanobind::module_& module);
void bind_data(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_classifier(nanobind::module_& module);
void bind_mixture(nanobind::module_& module);

}  // namespace m3lak::python
