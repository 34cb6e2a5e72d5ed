// The matrices of draws.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <new>
#include <utility>

#include "m3lak/dataset.h"
#include "m3lak/export.h"

namespace m3lak {

/// A matrix that is read and never written: in memory, or in a file that is mapped into it and that
/// the system reads where it is looked at. Copies share it. It is used as an Eigen::Map.
template <class Plain>
class Kept : public Eigen::Map<const Plain> {
 public:
  using Map = Eigen::Map<const Plain>;

  Kept() : Kept(Plain()) {}

  template <class Derived>
  Kept(const Eigen::MatrixBase<Derived>& matrix) : Kept(Plain(matrix)) {}

  Kept(Plain matrix) : Kept(std::make_shared<const Plain>(std::move(matrix))) {}

  /// In a mapped file, which is there as long as its owner is.
  Kept(const double* data, Index rows, Index columns, std::shared_ptr<const void> owner)
      : Map(data, rows, columns), owner_(std::move(owner)), is_in_file_(true) {}

  Kept(const Kept&) = default;
  ~Kept() = default;

  /// Another matrix takes its place; the numbers of this one stay as they are for its copies.
  Kept& operator=(const Kept& other) {
    if (this == &other) return *this;
    new (static_cast<Map*>(this)) Map(other.data(), other.rows(), other.cols());
    owner_ = other.owner_;
    is_in_file_ = other.is_in_file_;
    return *this;
  }

  bool is_in_file() const { return is_in_file_; }

 private:
  explicit Kept(std::shared_ptr<const Plain> own)
      : Map(own->data(), own->rows(), own->cols()), owner_(std::move(own)) {}

  std::shared_ptr<const void> owner_;
  bool is_in_file_ = false;
};

}  // namespace m3lak
