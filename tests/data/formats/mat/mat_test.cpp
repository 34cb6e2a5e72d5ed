#include "data/formats/mat/mat.h"

#include <gtest/gtest.h>
#include <matio.h>

#include "data/formats/mat/mat_testing.h"
#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

class Mat : public testing::TestWithParam<bool> {
 protected:
  FileContents read() { return read_with(read_mat, path_); }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "d.mat";
};

TEST_P(Mat, WritesWhatItReads) {
  for (const auto& labels : {std::vector<std::string>{"köln", "", "東京", "köln", "😀"},
                             std::vector<std::string>{"1", "", "2.5", "1", "-3"}}) {
    const Dataset data = full_dataset(labels);
    write_mat(data, path_, GetParam());
    expect_same(read(), data);
  }
}

TEST_P(Mat, WritesAnEmptySparseView) {
  Dataset data;
  data.views.resize(1);
  data.views[0].values = SparseMatrix(3, 4);
  data.views[0].name = "nothing";
  write_mat(data, path_, GetParam());
  expect_same_values(read().views.at(0).values, data.views[0]);
}

TEST_P(Mat, SaysIfItIsCutShort) {
  write_mat(full_dataset(), path_, GetParam());
  const std::string good = bytes_of(path_);
  for (const double part : {0.3, 0.6, 0.9}) {
    put_bytes(path_, good.substr(0, static_cast<std::size_t>(part * double(good.size()))));
    expect_error<BadData>([&] { read(); }, {"d.mat", "cut short"});
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Mat, testing::Bool(),
                         [](const auto& info) { return info.param ? "v73" : "v5"; });

TEST_F(Mat, RefusesOtherFiles) {
  for (const std::string& bytes : {std::string("hello"), std::string(200, 'x'),
                                   std::string(20, '\0') + "X1" + std::string(200, '\0')}) {
    put_bytes(path_, bytes);
    expect_error<BadData>([&] { read(); }, {"d.mat", "version 4", "-v7"});
  }
}

TEST_F(Mat, SaysWhatAMatrixMustBe) {
  write_plain_mat5(path_, MAT_COMPRESSION_NONE);
  DataSource source;
  const auto refuse = [&](const char* variable, std::initializer_list<const char*> words) {
    source.view_variables = {variable};
    expect_error<BadData>([&] { read_with(read_mat, path_, source); }, {"d.mat", variable});
    expect_error<BadData>([&] { read_with(read_mat, path_, source); }, words);
  };
  refuse("complex", {"complex"});
  refuse("text", {"char"});
  refuse("record", {"struct"});
  refuse("mixed", {"mixed{2}", "char"});
}

TEST_F(Mat, ReadsAllClasses) {
  for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    write_plain_mat5(path_, compression);
    DataSource source;
    source.view_variables = {"bytes", "singles", "cells"};
    source.label_column = "text";
    const FileContents contents = read_with(read_mat, path_, source);
    ASSERT_EQ(contents.views.size(), 4U);
    const DenseMatrix expected = (DenseMatrix(3, 2) << 1, 4, 2, 5, 3, 6).finished();
    for (const Table& view : contents.views) expect_same_values(view.values, expected);
    EXPECT_EQ(contents.labels->texts, (std::vector<std::string>{"ab", "c", "de"}));
  }
}

}  // namespace
}  // namespace m3lak
