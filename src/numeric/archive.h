// Values as bytes: what `transfer(archive, value)` lists is counted, written or read, always in the
// same order. Numbers are as they are in memory; sizes come before contents.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace m3lak {

class Cluster;
class DrawStore;

/// What all kinds of archive have in common: `archive(a, b, …)`, and the processes that write or
/// read one archive together, if there are several (see instances_archive.h).
template <class Kind>
class Archive {
 public:
  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }

 private:
  template <class Value>
  void one(Value& value) {
    Kind& self = static_cast<Kind&>(*this);
    if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      self.raw(&value, sizeof value);
    } else {
      transfer(self, value);
    }
  }
};

/// Adds up how many bytes there will be.
class ArchiveSizer : public Archive<ArchiveSizer> {
 public:
  static constexpr bool reads = false;

  explicit ArchiveSizer(Cluster* cluster = nullptr) : cluster_(cluster) {}
  Cluster* cluster() const { return cluster_; }

  void raw(const void*, std::size_t size) { bytes_ += size; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
  Cluster* cluster_;
};

/// `Output` has bytes(const void*, std::size_t).
template <class Output>
class ArchiveWriter : public Archive<ArchiveWriter<Output>> {
 public:
  static constexpr bool reads = false;

  explicit ArchiveWriter(Output& output, Cluster* cluster = nullptr)
      : output_(output), cluster_(cluster) {}
  Cluster* cluster() const { return cluster_; }

  void raw(const void* data, std::size_t size) { output_.bytes(data, size); }

 private:
  Output& output_;
  Cluster* cluster_;
};

/// An output in memory.
struct TextOutput {
  std::string& text;
  void bytes(const void* data, std::size_t size) {
    text.append(static_cast<const char*>(data), size);
  }
};

/// Throws std::out_of_range if it wants more than there is.
class ArchiveReader : public Archive<ArchiveReader> {
 public:
  static constexpr bool reads = true;

  /// Draws are read into the store, if there is one.
  explicit ArchiveReader(std::string_view bytes, Cluster* cluster = nullptr,
                         DrawStore* store = nullptr)
      : left_(bytes), cluster_(cluster), store_(store) {}
  Cluster* cluster() const { return cluster_; }
  DrawStore* store() const { return store_; }

  void raw(void* data, std::size_t size) {
    const std::string_view taken = take(size);
    if (size > 0) std::memcpy(data, taken.data(), size);
  }
  std::string_view take(std::uint64_t size) {
    if (size > left_.size()) throw std::out_of_range("it ends too early");
    const std::string_view taken = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(taken.size());
    return taken;
  }
  std::size_t left() const { return left_.size(); }

 private:
  std::string_view left_;
  Cluster* cluster_;
  DrawStore* store_;
};

namespace archive_parts {

/// The size of something, which cannot have more elements than there are bytes.
template <class Kind>
std::uint64_t exchange_size(Kind& archive, std::uint64_t size) {
  archive(size);
  if constexpr (Kind::reads) {
    if (size > archive.left()) throw std::out_of_range("it ends too early");
  }
  return size;
}

}  // namespace archive_parts

template <class Kind>
void transfer(Kind& archive, std::string& text) {
  const std::uint64_t size = archive_parts::exchange_size(archive, text.size());
  if constexpr (Kind::reads) text.resize(static_cast<std::size_t>(size));
  archive.raw(text.data(), text.size());
}

template <class Kind, class Value>
void transfer(Kind& archive, std::vector<Value>& values) {
  const std::uint64_t size = archive_parts::exchange_size(archive, values.size());
  if constexpr (Kind::reads) values.resize(static_cast<std::size_t>(size));
  for (Value& value : values) archive(value);
}

template <class Kind, class Derived>
void transfer(Kind& archive, Eigen::PlainObjectBase<Derived>& matrix) {
  auto rows = static_cast<std::uint64_t>(matrix.rows());
  auto cols = static_cast<std::uint64_t>(matrix.cols());
  archive(rows, cols);
  if constexpr (Kind::reads) {
    // Nothing has more elements than there are bytes; but it may have rows and no columns.
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    if (rows > most || cols > most || (cols > 0 && rows > archive.left() / cols)) {
      throw std::out_of_range("it ends too early");
    }
    matrix.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
  }
  archive.raw(matrix.data(),
              static_cast<std::size_t>(matrix.size()) * sizeof(typename Derived::Scalar));
}

}  // namespace m3lak
