#include "m3lak/dataset.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "m3lak/error.h"

namespace nb = nanobind;

namespace m3lak::python {

namespace {

template <class Value>
using Rows = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Value>
using Row = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The array's memory, and a hold on the array. Whoever lets go of it last need not have the
/// interpreter's lock.
template <class Value>
Borrowed<Value> borrow(const Rows<Value>& array) {
  std::shared_ptr<const void> owner(new Rows<Value>(array), [](const Rows<Value>* hold) {
    const nb::gil_scoped_acquire lock;
    delete hold;
  });
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)),
          std::move(owner)};
}

template <class Value>
void add_dense(Dataset& data, const std::string& name, const Rows<Value>& values,
               const std::vector<std::string>& feature_names) {
  data.views.push_back({name, borrow(values), feature_names, {}, {}});
}

/// The arrays of a matrix in compressed rows, with sorted columns.
void add_sparse(Dataset& data, const std::string& name, Index columns, const Row<int>& starts,
                const Row<int>& indices, const Row<double>& values,
                const std::vector<std::string>& feature_names) {
  const Eigen::Map<const SparseMatrix> map(static_cast<Index>(starts.size()) - 1, columns,
                                           static_cast<Index>(values.size()), starts.data(),
                                           indices.data(), values.data());
  data.views.push_back({name, SparseMatrix(map), feature_names, {}, {}});
}

void set_labels(Dataset& data, std::vector<std::string> classes, const Row<int>& of) {
  data.labels = Labels{std::move(classes), {of.data(), of.data() + of.size()}};
}

/// Throws BadData if an instance lacks all views: there is nothing to tell its class by.
void refuse_empty_instances(const Dataset& data) {
  for (Index n = 0; n < data.instances(); ++n) {
    bool has_any = false;
    for (const View& view : data.views) has_any = has_any || view.has(n);
    if (has_any) continue;
    throw BadData(fmt::format(
        "instance {} (counted from 1) lacks all views: leave it out, there is nothing to tell its "
        "class by",
        n + 1));
  }
}

}  // namespace

void bind_dataset(nb::module_& module) {
  nb::class_<Dataset>(module, "Dataset", "Views and labels. Dense views are borrowed, not copied.")
      .def(nb::init<>())
      .def("add_dense", &add_dense<double>, nb::arg("name"), nb::arg("values").noconvert(),
           nb::arg("feature_names"))
      .def("add_dense", &add_dense<float>, nb::arg("name"), nb::arg("values").noconvert(),
           nb::arg("feature_names"))
      .def("add_sparse", &add_sparse, nb::arg("name"), nb::arg("columns"), nb::arg("starts"),
           nb::arg("indices"), nb::arg("values"), nb::arg("feature_names"))
      .def("set_labels", &set_labels, nb::arg("classes"), nb::arg("of"))
      .def(
          "settle",
          [](Dataset& data) {
            data.settle();
            refuse_empty_instances(data);
          },
          nb::call_guard<nb::gil_scoped_release>(),
          "Checks that all parts agree, and finds which instances lack which views.")
      .def_prop_ro("instances", &Dataset::instances);
}

}  // namespace m3lak::python
