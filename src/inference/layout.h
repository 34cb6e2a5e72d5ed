// What is in a checkpoint of a chain and of its draws, and in which order (see archive.h).
#pragma once

#include "m3lak/model.h"
#include "model/mixture.h"
#include "model/state.h"
#include "numeric/instances_archive.h"

namespace m3lak {

template <class Kind>
void transfer(Kind& archive, ViewState& view) {
  archive(view.projection, view.unseen, view.gram, view.relevance, view.noise);
}

template <class Kind>
void transfer(Kind& archive, Component& component) {
  archive(component.log_weight, component.mean, component.factor);
}

template <class Kind>
void transfer(Kind& archive, Mixture& mixture) {
  archive(mixture.components, mixture.of, mixture.log_rest, mixture.concentration);
}

template <class Kind>
void transfer(Kind& archive, NormalInverseWishart& base) {
  archive(base.mean, base.strength, base.scale, base.dof);
}

template <class Kind>
void transfer(Kind& archive, State& state) {
  transfer_instances(archive, state.H);
  for (Matrix& u : state.U) transfer_instances(archive, u);
  transfer_instances(archive, state.inverse_lambda);
  for (SparseMatrix& fill : state.fill) transfer_instances(archive, fill);
  transfer_instances(archive, state.linear);
  archive(state.views, state.beta, state.gamma, state.weight_precision, state.omega, state.mixture);
}

template <class Kind>
void transfer(Kind& archive, Draw::ViewDraw& view) {
  archive(view.projection, view.relevance, view.noise);
}

template <class Kind>
void transfer(Kind& archive, FrequencyComponent& component) {
  archive(component.weight, component.mean, component.factor);
}

template <class Kind>
void transfer(Kind& archive, Draw& draw) {
  archive(draw.views, draw.frequencies, draw.weights, draw.linear_weights, draw.weight_precision,
          draw.concentration, draw.components, draw.component_of);
}

template <class Kind>
void transfer(Kind& archive, TraceRow& row) {
  archive(row.chain, row.iteration, row.kept, row.log_joint, row.latent_acceptance,
          row.frequency_acceptance, row.latent_step, row.frequency_step, row.components,
          row.weight_norm, row.kernel_scale, row.noise, row.probes, row.training_accuracy);
}

}  // namespace m3lak
