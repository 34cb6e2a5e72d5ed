// What is in a checkpoint of a chain and of its draws, and in which order (see archive.h).
#pragma once

#include "inference/draw_store.h"
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

/// As a matrix of its kind.
template <class Kind, class Plain>
void transfer(Kind& archive, Kept<Plain>& matrix) {
  if constexpr (Kind::reads) {
    Plain read;
    archive(read);
    matrix = std::move(read);
  } else {
    auto rows = static_cast<std::uint64_t>(matrix.rows());
    auto columns = static_cast<std::uint64_t>(matrix.cols());
    archive(rows, columns);
    archive.raw(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));
    forget(matrix);
  }
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

/// One by one, so that not all of them need be in memory.
inline void transfer(ArchiveReader& archive, std::vector<Draw>& draws) {
  std::uint64_t left = archive_parts::exchange_size(archive, 0);
  for (draws.clear(); left > 0; --left) {
    Draw draw;
    archive(draw);
    draws.push_back(archive.store() ? archive.store()->keep(std::move(draw)) : std::move(draw));
  }
}

template <class Kind>
void transfer(Kind& archive, TraceRow& row) {
  archive(row.chain, row.iteration, row.kept, row.log_joint, row.latent_acceptance,
          row.frequency_acceptance, row.latent_step, row.frequency_step, row.components,
          row.weight_norm, row.kernel_scale, row.noise, row.probes, row.training_accuracy);
}

}  // namespace m3lak
