// The data as the model sees it: instances in blocks, and in each block in segments that lack the
// same views.
#pragma once

#include <cstdint>
#include <vector>

#include "data/part.h"
#include "m3lak/dataset.h"
#include "m3lak/model.h"
#include "m3lak/scaling.h"
#include "numeric/parallel.h"
#include "numeric/share.h"

namespace m3lak {

/// Instances of one block that have the same views, and all of them a label or none.
struct Segment {
  Index begin = 0;
  Index size = 0;
  Index pattern = 0;
  bool labelled = false;
};

struct Problem {
  /// Scaled; where a cell is missing, the value less the offset is 0. A view with many more
  /// features than instances is turned into few (see wide.h).
  std::vector<View> views;

  /// Of each view, how many features it has, and the turn if it was turned: one column a direction.
  std::vector<Index> features;
  std::vector<DenseMatrix> turns;

  /// The missing cells of each view: a matrix of zeros stored at their places.
  std::vector<SparseMatrix> gaps;

  /// ‖X_i‖² of the known cells, and how many instances have the view.
  std::vector<double> squared_norms;
  std::vector<Index> present;

  /// One row a class (one in all for two classes), one column an instance: +1, -1, or 0 if unknown.
  Matrix y;

  /// Which views an instance has, for each pattern that occurs.
  std::vector<std::vector<std::uint8_t>> patterns;

  /// What the classifier sees beside the latent space (see principal.h): one row an instance, and
  /// the directions of each view. No columns: nothing.
  DenseMatrix coordinates;
  std::vector<DenseMatrix> directions;

  Blocks blocks;
  std::vector<std::vector<Segment>> segments;  ///< of each block

  /// The place in the original data of each instance: they are sorted inside of their blocks.
  std::vector<Index> order;

  /// Where several processes share the instances out: which of them is the first one here, and how
  /// many there are in all. Norms, counts and directions above are those of all.
  Index first = 0;
  Index total = 0;

  Index instances() const { return blocks.count; }
  bool has_gaps(Index instance) const;
};

/// Keeps a dense view in float if precision is mixed, in double if not.
void keep_in(View& view, Precision precision);

/// Scales the data, in double already if that is the precision: nothing is rounded to float.
void scale(const Scaler& scaler, Precision precision, Dataset& data);

/// `scaled` as that leaves it. Labels may be missing altogether.
Problem prepare(Dataset scaled, Precision precision = Precision::full);

/// The same for training, where wide views are turned.
Problem prepare_training(Dataset scaled, Index latent_and_private, Precision precision);

/// The same where `scaled` is this process's part of the instances of all. Where there are several
/// processes, wide views stay as they are.
Problem prepare_training(Workers& workers, Dataset scaled, const Part& part,
                         Index latent_and_private, Precision precision);

/// What a process has of a problem that all have as a whole.
Problem own_part(const Problem& whole, Share share);

}  // namespace m3lak
