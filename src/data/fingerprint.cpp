#include "data/fingerprint.h"

#include <fmt/format.h>

#include "data/dense_view.h"

namespace m3lak {

namespace {

/// Each bit depends on all of x (the end of SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// FNV-1a, mixed at the end: the last byte would else only be added to the low bits or taken from
/// them, and in sums over instances that cancels.
class Hash {
 public:
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3ULL;
  }
  template <class Value>
  void add_all(const Value* values, Index count) {
    add(values, static_cast<std::size_t>(count) * sizeof(Value));
  }
  template <class Value>
  void add_one(Value value) {
    add(&value, sizeof value);
  }
  void add_texts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(text.c_str(), text.size() + 1);
  }
  std::uint64_t value() const { return mixed(value_); }
  std::string text() const { return fmt::format("{:016x}", value()); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

/// Instances are hashed one by one, each with its number, and added up: so it does not matter who
/// has which.
std::uint64_t of_instance(const View& view, Index n, Index number) {
  Hash hash;
  hash.add_one(number);
  hash.add_one(view.has(n));
  if (view.is_sparse()) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), n); cell; ++cell) {
      hash.add_one(cell.col());
      hash.add_one(cell.value());
    }
  } else {
    with_dense_rows(view, n, 1,
                    [&](const auto& values) { hash.add_all(values.data(), values.cols()); });
  }
  return hash.value();
}

std::uint64_t over_all(std::uint64_t sum, Cluster* cluster) {
  if (cluster) sum_over(*cluster, sum, [](std::uint64_t& a, std::uint64_t b) { a += b; });
  return sum;
}

void add(const View& view, const Part& part, Hash& hash) {
  hash.add_one(part.total);
  hash.add_one(view.features());
  std::uint64_t sum = 0;
  for (Index n = 0; n < view.instances(); ++n) sum += of_instance(view, n, part.first + n);
  hash.add_one(over_all(sum, part.cluster));
}

void add(const Labels& labels, const Part& part, Hash& hash) {
  std::uint64_t sum = 0;
  for (std::size_t n = 0; n < labels.of.size(); ++n) {
    Hash one;
    one.add_one(part.first + static_cast<Index>(n));
    one.add_one(labels.of[n]);
    sum += one.value();
  }
  hash.add_one(over_all(sum, part.cluster));
}

}  // namespace

std::string fingerprint(const Dataset& data) {
  Hash hash;
  for (const View& view : data.views) add(view, whole(data), hash);
  if (data.labels) add(*data.labels, whole(data), hash);
  return hash.text();
}

std::string fingerprint(const View& view, const Part& part) {
  Hash hash;
  add(view, part, hash);
  hash.add_texts(view.feature_names);
  return hash.text();
}

std::string fingerprint(const Labels& labels, const Part& part) {
  Hash hash;
  add(labels, part, hash);
  hash.add_texts(labels.classes);
  return hash.text();
}

}  // namespace m3lak
