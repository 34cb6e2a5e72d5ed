#include "data/formats/hdf5/h5mu.h"

#include <gtest/gtest.h>

#include "data/formats/hdf5/hdf5.h"
#include "data/formats/hdf5/hdf5_writer.h"
#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

using Texts = std::vector<std::string>;

class H5mu : public testing::Test {
 protected:
  FileContents read(const std::string& label_column = "") {
    DataSource source;
    source.label_column = label_column;
    return read_with(read_h5mu, path_, source);
  }

  static void frame(Hdf5Writer& file, const std::string& object, const Texts& index) {
    file.group(object);
    file.attribute(object, "_index", std::string("names"));
    file.texts(object + "/names", index);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "d.h5mu";
};

TEST_F(H5mu, WritesWhatItReads) {
  const Dataset data = full_dataset();
  write_h5mu(data, path_);
  EXPECT_TRUE(is_h5mu(path_));
  const FileContents contents = read("label");
  ASSERT_EQ(contents.views.size(), 2U);
  // An instance that lacks the view is not there.
  const std::vector<Index> with_rna{0, 1, 3, 4}, with_words{0, 1, 2, 4};
  expect_same_values(contents.views[0].values, data.select(with_rna).views[0]);
  expect_same_values(contents.views[1].values, data.select(with_words).views[1]);
  EXPECT_EQ(contents.views[0].ids, (Texts{"p1", "p 2", "é", "p5"}));
  EXPECT_EQ(contents.views[0].feature_names, (Texts{"α", "b", "c c"}));
  EXPECT_EQ(contents.views[1].feature_names.front(), "words:f1");
  EXPECT_EQ(contents.labels->ids, data.instance_names);
  EXPECT_EQ(contents.labels->texts, (Texts{"köln", "", "東京", "köln", "bonn"}));
}

TEST_F(H5mu, NamesWhatHasNoName) {
  Dataset data = full_dataset();
  data.instance_names.clear();
  data.views[0].name = "";
  data.views[1].name = "a/b";
  write_h5mu(data, path_);
  const FileContents contents = read();
  EXPECT_EQ(contents.views[0].name, "view1");
  EXPECT_EQ(contents.views[1].name, "a_b");
  EXPECT_EQ(contents.views[0].ids, (Texts{"i1", "i2", "i4", "i5"}));
}

TEST_F(H5mu, NeedsTheLabelsNamed) {
  write_h5mu(full_dataset(), path_);
  const FileContents contents = read();
  EXPECT_FALSE(contents.labels);
  ASSERT_EQ(contents.notes.size(), 1U);
  EXPECT_NE(contents.notes[0].find("label"), std::string::npos);
  expect_error<BadData>([&] { read("kind"); }, {"d.h5mu", "'kind'", "columns are: label"});
  Workers workers(1);
  expect_error<BadUsage>(
      [&] {
        read_h5mu_labels(path_, {{}, workers});
      },
      {"--label-column", "label"});
}

TEST_F(H5mu, NamesTheModalityAtFault) {
  const auto write = [&](auto fill) {
    Hdf5Writer file(path_);
    file.group("/mod");
    file.group("/mod/rna");
    fill(file);
    file.close();
  };
  write([](Hdf5Writer&) {});
  expect_error<BadData>([&] { read(); }, {"d.h5mu", "'rna'", "no matrix X"});
  const DenseMatrix x = DenseMatrix::Zero(2, 2);
  write([&](Hdf5Writer& file) { file.array("/mod/rna/X", x); });
  expect_error<BadData>([&] { read(); }, {"/mod/rna/obs", "not there"});
  write([&](Hdf5Writer& file) {
    file.array("/mod/rna/X", x);
    frame(file, "/mod/rna/obs", {"a", "b", "c"});
    frame(file, "/mod/rna/var", {"f", "g"});
  });
  expect_error<BadData>([&] { read(); }, {"/mod/rna/X", "2 × 2", "3 rows"});
}

TEST_F(H5mu, RefusesCodesWithoutCategories) {
  Hdf5Writer file(path_);
  file.array("/X", DenseMatrix(DenseMatrix::Zero(2, 1)));
  frame(file, "/obs", {"a", "b"});
  frame(file, "/var", {"f"});
  file.group("/obs/kind");
  file.texts("/obs/kind/categories", Texts{"x"});
  file.array("/obs/kind/codes", std::vector<std::int32_t>{0, 1});
  file.close();
  expect_error<BadData>([&] { read("kind"); }, {"/obs/kind/codes", "code 1", "1 categories"});
}

TEST_F(H5mu, IsNotAnyHdf5File) {
  write_h5(full_dataset(), path_);
  EXPECT_FALSE(is_h5mu(path_));
  expect_error<BadData>([&] { read(); }, {"d.h5mu", "mudata"});
}

}  // namespace
}  // namespace m3lak
