#include "data/streamed_rows.h"

#include <algorithm>
#include <cmath>

#include "data/row_scaling.h"

namespace m3lak {

Index Streamed::rows() const { return source->rows(); }
Index Streamed::cols() const { return source->columns(); }

StreamedRows::StreamedRows(std::shared_ptr<const RowsFile> file, Block part)
    : file_(std::move(file)), part_(part), rows_(part.size) {}

StreamedRows::StreamedRows(const StreamedRows& other, Recipe recipe, Index rows)
    : file_(other.file_), part_(other.part_), rows_(rows), recipe_(std::move(recipe)) {}

Streamed StreamedRows::with(Recipe recipe) const {
  const Index rows = recipe.order ? std::ssize(*recipe.order) : part_.size;
  return {std::shared_ptr<const StreamedRows>(new StreamedRows(*this, std::move(recipe), rows))};
}

Streamed StreamedRows::select(std::span<const Index> rows) const {
  auto order = std::make_shared<std::vector<Index>>();
  order->reserve(rows.size());
  for (const Index row : rows) order->push_back(row_in_part(row));
  Recipe recipe = recipe_;
  recipe.order = std::move(order);
  return with(std::move(recipe));
}

Streamed StreamedRows::without(const std::vector<std::uint8_t>& absent) const {
  auto flags = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(part_.size));
  for (Index row = 0; row < rows_; ++row) {
    (*flags)[static_cast<std::size_t>(row_in_part(row))] = absent[static_cast<std::size_t>(row)];
  }
  Recipe recipe = recipe_;
  recipe.absent = std::move(flags);
  return with(std::move(recipe));
}

Streamed StreamedRows::scaled_within_rows(const RowScaling& how) const {
  Recipe recipe = recipe_;
  recipe.within_rows = how;
  return with(std::move(recipe));
}

Streamed StreamedRows::scaled(const Vector& mean, const Vector& factor) const {
  Recipe recipe = recipe_;
  recipe.mean = mean;
  recipe.factor = factor;
  return with(std::move(recipe));
}

Streamed StreamedRows::without_gaps() const {
  Recipe recipe = recipe_;
  recipe.without_gaps = true;
  return with(std::move(recipe));
}

Streamed StreamedRows::in_double() const {
  Recipe recipe = recipe_;
  recipe.widened = true;
  return with(std::move(recipe));
}

Streamed StreamedRows::in_float() const {
  Recipe recipe = recipe_;
  recipe.narrowed = true;
  return with(std::move(recipe));
}

Index StreamedRows::row_in_part(Index row) const {
  return recipe_.order ? (*recipe_.order)[static_cast<std::size_t>(row)] : row;
}

StreamedRows::Memory& StreamedRows::own_memory() const {
  const std::lock_guard lock(mutex_);
  return memories_[std::this_thread::get_id()];
}

const StreamedRows::Memory& StreamedRows::fetch(Index begin, Index count) const {
  Memory& memory = own_memory();
  if (memory.begin <= begin && begin + count <= memory.begin + memory.count) return memory;
  memory.begin = begin;
  memory.count = 0;  // nothing, should it fail
  (is_float() ? memory.floats.resize(count, columns()) : memory.doubles.resize(count, columns()));
  if (file_->layout().is_float) {
    make<float>(count, memory);
  } else {
    make<double>(count, memory);
  }
  memory.count = count;
  return memory;
}

/// Makes rows from memory.begin on, of which the file has the numbers in From.
template <class From>
void StreamedRows::make(Index count, Memory& memory) const {
  for (Index n = 0; n < count; ++n) {
    const Index row = row_in_part(memory.begin + n);
    if (row < memory.raw_begin || row >= memory.raw_begin + memory.raw_count) {
      // Instances are sorted inside of blocks: if they are, others of this one are wanted next.
      read_raw<From>(recipe_.order ? block_of(row) : Block{0, row, count - n}, memory);
    }
    const auto* numbers =
        reinterpret_cast<const From*>(memory.raw.data()) + (row - memory.raw_begin) * columns();
    if (is_float()) {
      make_row(numbers, row, memory, memory.floats.row(n).data());
    } else {
      make_row(numbers, row, memory, memory.doubles.row(n).data());
    }
  }
}

template <class From, class To>
void StreamedRows::make_row(const From* numbers, Index row, Memory& memory, To* out) const {
  if (recipe_.absent && (*recipe_.absent)[static_cast<std::size_t>(row)] != 0) {
    std::fill_n(out, columns(), To{0});
  } else if (!recipe_.within_rows.any()) {
    scale_numbers(numbers, out);
  } else if (std::is_same_v<From, float> && !recipe_.widened) {
    memory.float_row.resize(1, columns());
    std::copy_n(numbers, columns(), memory.float_row.data());
    scale_within_row(recipe_.within_rows, memory.float_row, 0);
    scale_numbers(memory.float_row.data(), out);
  } else {
    memory.double_row.resize(1, columns());
    std::copy_n(numbers, columns(), memory.double_row.data());
    scale_within_row(recipe_.within_rows, memory.double_row, 0);
    scale_numbers(memory.double_row.data(), out);
  }
}

template <class From, class To>
void StreamedRows::scale_numbers(const From* from, To* to) const {
  if (recipe_.mean.size() > 0) {
    scale_row(from, recipe_.mean, recipe_.factor, to);
  } else {
    std::transform(from, from + columns(), to, [](From value) { return static_cast<To>(value); });
  }
  if (recipe_.without_gaps) {
    std::replace_if(
        to, to + columns(), [](To value) { return std::isnan(value); }, To{0});
  }
}

Block StreamedRows::block_of(Index row) const {
  return Blocks{part_.size, instances_a_block}[row / instances_a_block];
}

template <class From>
void StreamedRows::read_raw(Block rows, Memory& memory) const {
  memory.raw_count = 0;  // nothing, should it fail
  memory.raw.resize(static_cast<std::size_t>(rows.size * columns()) * sizeof(From));
  file_->read(part_.begin + rows.begin, rows.size, memory.raw.data());
  memory.raw_begin = rows.begin;
  memory.raw_count = rows.size;
}

}  // namespace m3lak
