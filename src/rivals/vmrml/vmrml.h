// VMRML: least squares in several views with vector-valued manifold regularisation. Each view has a
// function of its own in the space of its Gaussian kernel; they are fitted together, kept close to
// each other, and kept smooth over the graph of the training points.
//
// H. Q. Minh, L. Bazzani, V. Murino: A unifying framework for vector-valued manifold regularization
// and multi-view learning. ICML 2013.
//
// The problem, its closed form and the default of each weight are the paper's. Ours are: features
// are standardised, the unit and the grid of the kernel's width, only labelled points are trained
// on, and the solution by blocks, which is exact.
#pragma once

#include <memory>
#include <vector>

#include "rivals/rival.h"

namespace m3lak {

struct VmrmlOptions {
  enum class Laplacian {
    normalised,  ///< I - D^-1/2 K D^-1/2, as in the authors' own program
    plain,       ///< D - K
  };
  enum class Solver {
    /// One system of N unknowns a view, and one of N or 2N (see view_weights) that joins them. It
    /// loses digits where gB exceeds gA by far: of 300 points, its outputs differ from the full
    /// solver's by 1e-11 at the default, 1e-8 at gB = 1e5 gA, and 1e-5 at gB = 1e7 gA.
    block,
    /// One system of views · N unknowns: slow and large, but what the paper writes down.
    full,
  };

  /// Weight of the functions' squared norms. Above 0.
  double gA = 1e-5;

  /// Weight of the squared differences between views, over all training points. At least 0.
  double gB = 1e-6;

  /// Weight of the roughness over each view's graph, over all training points. At least 0.
  double gW = 1e-6;

  /// How much each view's function counts in the score. Empty: 1 / views each. Not all 0. Where
  /// they differ (and gB is not 0), the block solver's last system has 2N unknowns instead of N.
  Vector view_weights = {};

  Laplacian laplacian = Laplacian::normalised;

  Solver solver = Solver::block;

  /// The settings: kernel widths, in units of the median distance in each view. Each above 0.
  /// Empty: 1/8, 1/4, 1/2, 1, 2, 4, 8.
  std::vector<double> widths = {};
};

/// Throws BadUsage if an option breaks its rule.
std::unique_ptr<Rival> vmrml(VmrmlOptions options = {});

}  // namespace m3lak
