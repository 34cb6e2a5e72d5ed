// The data of a task: the same instances described in several ways (views), and their labels.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "m3lak/export.h"

namespace m3lak {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;

/// One row an instance, so that a block of instances is one piece of memory.
using DenseMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

/// A matrix in memory that is somebody else's, who must leave it as it is while this is there. It
/// is never written to; who wants to write makes it a matrix of its own first.
template <class Value>
struct Borrowed {
  using Owned = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  const Value* data = nullptr;
  Index row_count = 0, column_count = 0;
  std::shared_ptr<const void> owner;  ///< kept as long as this is

  Index rows() const { return row_count; }
  Index cols() const { return column_count; }
};

class StreamedRows;

/// A matrix that stays in its file: rows are read, and scaled, whenever they are wanted (see
/// DataSource::stream).
struct M3LAK_API Streamed {
  std::shared_ptr<const StreamedRows> source;

  Index rows() const;
  Index cols() const;
};

/// One description of all instances: dense in double or in float (half the memory), or sparse.
/// A dense one may be in memory or in a file.
///
/// A cell that is not known is NaN, in a sparse view a stored NaN. An instance that lacks the view
/// altogether is marked in `absent`; its row is then zero in a dense view and empty in a sparse
/// one.
struct M3LAK_API View {
  using Values = std::variant<DenseMatrix, SparseMatrix, FloatMatrix, Borrowed<double>,
                              Borrowed<float>, Streamed>;

  std::string name;
  Values values;

  /// One name a column, or none at all.
  std::vector<std::string> feature_names;

  /// One flag an instance, 1: the instance lacks this view. Empty: no instance does.
  std::vector<std::uint8_t> absent;

  /// What is still to be subtracted from each row of `values` (see Scaler): a sparse view is
  /// centred this way, so that its zeros need not be stored. Empty: nothing.
  Vector offset;

  bool is_sparse() const { return std::holds_alternative<SparseMatrix>(values); }
  bool is_float() const;
  bool is_streamed() const { return std::holds_alternative<Streamed>(values); }
  const SparseMatrix& sparse() const { return std::get<SparseMatrix>(values); }

  /// Of a dense view in memory, in double or in float, borrowed or not.
  Eigen::Map<const DenseMatrix> dense() const;
  Eigen::Map<const FloatMatrix> floats() const;

  /// Copies what is borrowed, and reads what is in a file.
  void own();

  Index instances() const;
  Index features() const;
  bool has(Index instance) const;

  /// How many instances lack the view.
  Index absent_count() const;

  /// How many cells of the instances that have the view are unknown.
  Index missing_cells() const;

  /// How many values are stored: all cells of a dense view, those of a sparse one that are not
  /// zero.
  Index stored() const;

  /// "feature 'name'" if it has a name, "column 7" (from 1) if not: for messages.
  std::string describe_feature(Index feature) const;
};

/// Labels as they were given, and the classes they name.
struct M3LAK_API Labels {
  static constexpr int unknown = -1;

  /// In numeric order if all are numbers, else in the order of their bytes.
  std::vector<std::string> classes;

  /// One entry an instance: an index into `classes`, or `unknown`.
  std::vector<int> of;

  /// How many instances each class has.
  std::vector<Index> counts() const;
  Index unknown_count() const;

  /// Throws BadData if there are fewer than two classes: there is nothing to learn then.
  void require_two_classes() const;

  /// Labels from texts. Empty ones, NA, NaN, null, None and ?, and those in `unknown_texts`, are
  /// unknown. Two spellings of one number (3, 3.0) are one class.
  static Labels from_texts(const std::vector<std::string>& texts,
                           const std::vector<std::string>& unknown_texts = {});
};

struct M3LAK_API Dataset {
  std::vector<View> views;
  std::optional<Labels> labels;

  /// One name an instance, or none at all.
  std::vector<std::string> instance_names;

  Index instances() const { return views.empty() ? 0 : views.front().instances(); }
  Index features() const;

  /// The instances of these rows, in this order.
  Dataset select(const std::vector<Index>& rows) const;

  /// Throws BadData unless all parts agree in size and all values are finite or NaN. Rows in which
  /// every cell is NaN become absent.
  void settle();
};

}  // namespace m3lak
