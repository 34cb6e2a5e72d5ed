#include "data/fingerprint.h"

#include <fmt/format.h>

#include "data/dense_view.h"

namespace m3lak {

namespace {

/// FNV-1a.
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
  void add_texts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(text.c_str(), text.size() + 1);
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

void add(const View& view, Hash& hash) {
  const Index shape[] = {view.instances(), view.features()};
  hash.add_all(shape, 2);
  if (view.is_sparse()) {
    const SparseMatrix& values = view.sparse();
    for (Index n = 0; n < values.rows(); ++n) {
      for (SparseMatrix::InnerIterator cell(values, n); cell; ++cell) {
        const Index column = cell.col();
        const double value = cell.value();
        hash.add_all(&column, 1);
        hash.add_all(&value, 1);
      }
    }
  } else {
    with_dense(view, [&](const auto& values) { hash.add_all(values.data(), values.size()); });
  }
  hash.add_all(view.absent.data(), std::ssize(view.absent));
}

}  // namespace

std::string fingerprint(const Dataset& data) {
  Hash hash;
  for (const View& view : data.views) add(view, hash);
  if (data.labels) hash.add_all(data.labels->of.data(), std::ssize(data.labels->of));
  return hash.text();
}

std::string fingerprint(const View& view) {
  Hash hash;
  add(view, hash);
  hash.add_texts(view.feature_names);
  return hash.text();
}

std::string fingerprint(const Labels& labels) {
  Hash hash;
  hash.add_all(labels.of.data(), std::ssize(labels.of));
  hash.add_texts(labels.classes);
  return hash.text();
}

}  // namespace m3lak
