#include <nanobind/eigen/dense.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "m3lak/error.h"
#include "m3lak/io.h"
#include "m3lak/simulate.h"

namespace nb = nanobind;

namespace m3lak::python {

namespace {

Dataset simulated(Index instances, const std::vector<Index>& views, Index latent,
                  Index private_latent, double noise, const std::string& boundary,
                  double missing_views, double missing_cells, double unknown_labels,
                  std::uint64_t seed) {
  SimulationOptions options;
  options.instances = instances;
  options.views = views;
  options.latent = latent;
  options.private_latent = private_latent;
  options.noise = noise;
  options.boundary = boundary_of(boundary);
  options.missing_views = missing_views;
  options.missing_cells = missing_cells;
  options.unknown_labels = unknown_labels;
  options.seed = seed;
  options.check();
  return simulate(options);
}

Dataset read(const std::vector<std::string>& files, const std::string& labels) {
  DataSource source;
  source.files.assign(files.begin(), files.end());
  source.label_column = labels;
  return read_dataset(source).data;
}

const View& view_of(const Dataset& data, std::size_t view) { return data.views.at(view); }

/// NaN where an instance lacks the view.
DenseMatrix dense(const Dataset& data, std::size_t i) {
  const View& view = view_of(data, i);
  DenseMatrix values =
      view.is_float() ? DenseMatrix(view.floats().cast<double>()) : DenseMatrix(view.dense());
  for (Index n = 0; n < values.rows(); ++n) {
    if (!view.has(n)) values.row(n).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

/// Shape, and the arrays of compressed rows; a row that is missing is one of stored NaN.
nb::tuple sparse(const Dataset& data, std::size_t i) {
  const View& view = view_of(data, i);
  std::vector<Eigen::Triplet<double, int>> cells;
  for (int n = 0; n < static_cast<int>(view.instances()); ++n) {
    if (!view.has(n)) {
      for (int d = 0; d < static_cast<int>(view.features()); ++d) {
        cells.emplace_back(n, d, std::numeric_limits<double>::quiet_NaN());
      }
    }
    for (SparseMatrix::InnerIterator cell(view.sparse(), n); cell; ++cell) {
      cells.emplace_back(n, static_cast<int>(cell.col()), cell.value());
    }
  }
  SparseMatrix all(view.instances(), view.features());
  all.setFromTriplets(cells.begin(), cells.end());
  const Index count = all.nonZeros();
  return nb::make_tuple(
      nb::make_tuple(all.rows(), all.cols()),
      Eigen::VectorXi(Eigen::Map<const Eigen::VectorXi>(all.outerIndexPtr(), all.rows() + 1)),
      Eigen::VectorXi(Eigen::Map<const Eigen::VectorXi>(all.innerIndexPtr(), count)),
      Vector(Eigen::Map<const Vector>(all.valuePtr(), count)));
}

}  // namespace

void bind_data(nb::module_& module) {
  auto dataset = nb::borrow<nb::class_<Dataset>>(module.attr("Dataset"));
  dataset
      .def_prop_ro("names",
                   [](const Dataset& data) {
                     std::vector<std::string> names;
                     for (const View& view : data.views) names.push_back(view.name);
                     return names;
                   })
      .def("is_sparse",
           [](const Dataset& data, std::size_t view) { return view_of(data, view).is_sparse(); })
      .def("dense", &dense)
      .def("feature_names",
           [](const Dataset& data, std::size_t view) { return view_of(data, view).feature_names; })
      .def_ro("instance_names", &Dataset::instance_names)
      .def("sparse", &sparse)
      .def_prop_ro("classes",
                   [](const Dataset& data) -> std::optional<std::vector<std::string>> {
                     if (!data.labels) return std::nullopt;
                     return data.labels->classes;
                   })
      .def_prop_ro("labels", [](const Dataset& data) {
        return data.labels ? data.labels->of : std::vector<int>();
      });
  module.def("simulate", &simulated, nb::call_guard<nb::gil_scoped_release>());
  module.def("read", &read, nb::arg("files"), nb::arg("labels"),
             nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace m3lak::python
