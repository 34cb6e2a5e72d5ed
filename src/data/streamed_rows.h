// The rows of a dense view that stay in a file, and are read and scaled whenever they are wanted.
//
// Values come out as they would from a matrix in memory to which the same was done in the same
// order, to the last bit.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "data/rows_file.h"
#include "m3lak/dataset.h"
#include "m3lak/scaling.h"
#include "numeric/share.h"

namespace m3lak {

/// What is done to the rows of a file. It never changes; each function gives another one.
class StreamedRows {
 public:
  /// `part` of the rows of the file.
  StreamedRows(std::shared_ptr<const RowsFile> file, Block part);

  Index rows() const { return rows_; }
  Index columns() const { return file_->layout().columns; }

  /// Whether it gives floats or doubles.
  bool is_float() const {
    return (file_->layout().is_float && !recipe_.widened) || recipe_.narrowed;
  }

  /// These rows, in this order.
  Streamed select(std::span<const Index> rows) const;

  /// Rows whose flag is not 0 are zero.
  Streamed without(const std::vector<std::uint8_t>& absent) const;

  /// Each row by itself; each column less its mean, times its factor.
  Streamed scaled_within_rows(const RowScaling& how) const;
  Streamed scaled(const Vector& mean, const Vector& factor) const;

  /// 0 where a value is NaN, from here on.
  Streamed without_gaps() const;

  /// In double before anything else is done; in float after all.
  Streamed in_double() const;
  Streamed in_float() const;

  /// work(matrix), where `matrix` is a Map of rows begin, begin + 1, …, float or double. Each
  /// thread has memory of its own, in which the last rows stay: who asks again reads nothing.
  template <class Work>
  void with_rows(Index begin, Index count, const Work& work) const {
    const Memory& memory = fetch(begin, count);
    const Index first = begin - memory.begin;
    if (is_float()) {
      work(Eigen::Map<const FloatMatrix>(memory.floats.row(first).data(), count, columns()));
    } else {
      work(Eigen::Map<const DenseMatrix>(memory.doubles.row(first).data(), count, columns()));
    }
  }

 private:
  struct Recipe {
    std::shared_ptr<const std::vector<Index>> order;          // rows of the part; null: as they are
    std::shared_ptr<const std::vector<std::uint8_t>> absent;  // by rows of the part; null: none
    bool widened = false;                                     // to double, before all else
    RowScaling within_rows;
    Vector mean, factor;  // empty: not scaled
    bool without_gaps = false;
    bool narrowed = false;  // to float, after all else
  };

  /// Of one thread.
  struct Memory {
    std::vector<std::byte> raw;  // as the file has them, from row raw_begin of the part on
    Index raw_begin = 0, raw_count = 0;
    Index begin = 0, count = 0;  // of those that are made
    DenseMatrix doubles;
    FloatMatrix floats;
    DenseMatrix double_row;
    FloatMatrix float_row;
  };

  StreamedRows(const StreamedRows& other, Recipe recipe, Index rows);
  Streamed with(Recipe recipe) const;

  Index row_in_part(Index row) const;
  Block block_of(Index row) const;
  const Memory& fetch(Index begin, Index count) const;
  Memory& own_memory() const;
  template <class From>
  void make(Index count, Memory& memory) const;
  template <class From>
  void read_raw(Block rows, Memory& memory) const;
  template <class From, class To>
  void make_row(const From* numbers, Index row, Memory& memory, To* out) const;
  template <class From, class To>
  void scale_numbers(const From* from, To* to) const;

  std::shared_ptr<const RowsFile> file_;
  Block part_;
  Index rows_ = 0;
  Recipe recipe_;
  mutable std::mutex mutex_;
  mutable std::map<std::thread::id, Memory> memories_;
};

}  // namespace m3lak
