#include "m3lak/mixture.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.h"
#include "interruptible.h"

namespace nb = nanobind;

namespace m3lak::python {

namespace {

/// Read where it is.
using Array = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Eigen::Map<const DenseMatrix> rows(const Array& points) {
  return {points.data(), static_cast<Index>(points.shape(0)), static_cast<Index>(points.shape(1))};
}

/// What interrupted it: an exception to be raised, or None.
nb::object fit_watched(DirichletProcessMixture& mixture, const Array& points) {
  return run_interruptibly(
      [&](const std::atomic<bool>& stop) {
        MixtureCallbacks callbacks;
        callbacks.stop = [&stop] { return stop.load(); };
        mixture.fit(rows(points), callbacks);
      },
      {});
}

/// What a mixture is made of, in plain types.
using ComponentState = std::tuple<double, Vector, Matrix>;
using DrawState = std::tuple<std::vector<ComponentState>, double, double>;

std::vector<DrawState> draws_of(const DirichletProcessMixture& mixture) {
  std::vector<DrawState> draws;
  for (const MixtureDraw& draw : mixture.draws()) {
    std::vector<ComponentState> components;
    for (const MixtureComponent& k : draw.components) {
      components.emplace_back(k.weight, k.mean, k.factor);
    }
    draws.emplace_back(std::move(components), draw.rest, draw.concentration);
  }
  return draws;
}

DirichletProcessMixture mixture_of(const MixtureOptions& options,
                                   const std::vector<DrawState>& states) {
  std::vector<MixtureDraw> draws;
  for (const auto& [components, rest, concentration] : states) {
    MixtureDraw& draw = draws.emplace_back(MixtureDraw{{}, rest, concentration});
    for (const auto& [weight, mean, factor] : components) {
      draw.components.push_back({weight, mean, factor});
    }
  }
  return {options, std::move(draws)};
}

}  // namespace

void bind_mixture(nb::module_& module) {
  nb::class_<MixtureOptions>(module, "MixtureOptions")
      .def(nb::init<>())
      .def_rw("concentration", &MixtureOptions::concentration)
      .def_rw("sample_concentration", &MixtureOptions::sample_concentration)
      .def_rw("concentration_shape", &MixtureOptions::concentration_shape)
      .def_rw("concentration_rate", &MixtureOptions::concentration_rate)
      .def_rw("mean", &MixtureOptions::mean)
      .def_rw("strength", &MixtureOptions::strength)
      .def_rw("scale", &MixtureOptions::scale)
      .def_rw("dof", &MixtureOptions::dof)
      .def_rw("iterations", &MixtureOptions::iterations)
      .def_rw("burn_in", &MixtureOptions::burn_in)
      .def_rw("thin", &MixtureOptions::thin)
      .def_rw("seed", &MixtureOptions::seed)
      .def_rw("threads", &MixtureOptions::threads);

  nb::class_<DirichletProcessMixture>(module, "DirichletProcessMixture")
      .def(nb::init<MixtureOptions>())
      .def_static("of_draws", &mixture_of)
      .def("fit", &fit_watched)
      .def("assign", [](const DirichletProcessMixture& self,
                        const Array& points) { return self.assign(rows(points)); })
      .def("probability", [](const DirichletProcessMixture& self,
                             const Array& points) { return self.probability(rows(points)); })
      .def("log_density", [](const DirichletProcessMixture& self,
                             const Array& points) { return self.log_density(rows(points)); })
      .def_prop_ro("draws", &draws_of)
      .def_prop_ro("component_counts", &DirichletProcessMixture::component_counts)
      .def_prop_ro("options", &DirichletProcessMixture::options);
}

}  // namespace m3lak::python
