#include "data/formats/hdf5/hdf5.h"

#include <fmt/format.h>

#include "data/formats/hdf5/hdf5_file.h"
#include "data/formats/hdf5/hdf5_writer.h"
#include "data/formats/variables/variable_sink.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

class Hdf5Variables : public VariableFile {
 public:
  explicit Hdf5Variables(const fs::path& path) : VariableFile(path), file_(path) {
    for (const std::string& name : file_.members("/")) {
      const std::string object = "/" + name;
      if (file_.is_dataset(object)) {
        Hdf5Array array = file_.describe(object);
        add({name,
             array.is_number ? VariableKind::numbers
             : array.is_text ? VariableKind::text
                             : VariableKind::other,
             std::move(array.shape), std::move(array.type)});
      } else if (file_.is_group(object)) {
        if (auto shape = file_.sparse_shape(object)) {
          add({name, VariableKind::numbers, std::move(*shape), "sparse"});
        } else {
          add({name, VariableKind::list, {}, "a group"});
        }
      }
    }
  }

  Matrix matrix(const Variable& variable) const override {
    return file_.matrix("/" + variable.name);
  }
  std::vector<std::string> texts(const Variable& variable) const override {
    return file_.texts("/" + variable.name);
  }
  std::vector<NamedMatrix> members(const Variable& variable) const override {
    std::vector<NamedMatrix> result;
    for (const std::string& name : file_.members("/" + variable.name)) {
      const std::string object = variable.name + "/" + name;
      result.push_back({name, object, file_.matrix("/" + object), {}});
    }
    return result;
  }
  NamedMatrix own_rows(const Variable& variable, Share share) const override {
    return own_rows(variable.name, variable.name, share);
  }
  std::vector<NamedMatrix> own_members(const Variable& variable, Share share) const override {
    std::vector<NamedMatrix> result;
    for (const std::string& name : file_.members("/" + variable.name)) {
      result.push_back(own_rows(name, variable.name + "/" + name, share));
    }
    return result;
  }

 private:
  /// Sparse matrices are read whole.
  NamedMatrix own_rows(const std::string& name, const std::string& object, Share share) const {
    const std::string path = "/" + object;
    if (!file_.is_dataset(path)) return {name, object, file_.matrix(path), {}};
    const auto shape = file_.describe(path).shape;
    const Index total = shape.empty() ? 1 : static_cast<Index>(shape[0]);
    return {name, object, file_.rows(path, own_instances(total, share)), total};
  }

  Hdf5File file_;
};

class Hdf5Sink : public VariableSink {
 public:
  explicit Hdf5Sink(const fs::path& path) : writer_(path) {}
  void matrix(const std::string& name, const DenseMatrix& values) override {
    writer_.array("/" + name, values);
  }
  void matrix(const std::string& name, const SparseMatrix& values) override {
    writer_.sparse("/" + name, values);
  }
  void numbers(const std::string& name, std::span<const double> values) override {
    writer_.array("/" + name, values);
  }
  void texts(const std::string& name, std::span<const std::string> values) override {
    writer_.texts("/" + name, values);
  }
  void finish() override { writer_.close(); }

 private:
  Hdf5Writer writer_;
};

}  // namespace

std::unique_ptr<VariableFile> open_hdf5(const fs::path& path) {
  return std::make_unique<Hdf5Variables>(path);
}

void write_h5(const Dataset& data, const fs::path& path) {
  Hdf5Sink sink(path);
  write_variables(data, sink);
}

}  // namespace m3lak
