#include "data/formats/hdf5/hdf5.h"

#include <gtest/gtest.h>

#include "data/formats/hdf5/hdf5_file.h"
#include "data/formats/hdf5/hdf5_writer.h"
#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

class Hdf5 : public testing::Test {
 protected:
  FileContents read() { return read_with(read_hdf5, path_); }

  /// A dataset of these sizes of which nothing is written.
  void write_unwritten(const std::vector<hsize_t>& shape, hid_t type) {
    const Hdf5Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                          H5Fclose);
    const Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                           H5Sclose);
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const std::vector<hsize_t> chunk(shape.size(), 2);
    H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
    const Hdf5Handle dataset(
        H5Dcreate2(file.get(), "X1", type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
        H5Dclose);
    ASSERT_TRUE(dataset);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "d.h5";
};

TEST_F(Hdf5, WritesWhatItReads) {
  for (const auto& labels : {std::vector<std::string>{"köln", "", "東京", "köln", "bonn"},
                             std::vector<std::string>{"1", "", "2.5", "1", "-3"}}) {
    const Dataset data = full_dataset(labels);
    write_h5(data, path_);
    expect_same(read(), data);
  }
}

TEST_F(Hdf5, RefusesClaimsThatCannotBe) {
  write_unwritten({1'000'000, 1'000'000}, H5T_NATIVE_DOUBLE);
  expect_error<BadData>([&] { read(); }, {"d.h5", "X1", "1000000 × 1000000", "memory"});
  write_unwritten({1'000'000, 1'000}, H5T_NATIVE_INT8);
  expect_error<BadData>([&] { read(); }, {"X1", "1000000 × 1000", "holds only 0 bytes"});
  write_unwritten({1UL << 40, 1UL << 23}, H5T_NATIVE_INT8);
  expect_error<BadData>([&] { read(); }, {"X1", "memory"});
}

TEST_F(Hdf5, ReadsAFewValuesThatWereNeverWritten) {
  write_unwritten({20, 3}, H5T_NATIVE_DOUBLE);
  expect_same_values(read().views.at(0).values, DenseMatrix(DenseMatrix::Zero(20, 3)));
}

TEST_F(Hdf5, SaysWhatAMatrixMustBe) {
  const auto refuse = [&](auto write, std::initializer_list<const char*> words) {
    {
      Hdf5Writer file(path_);
      write(file);
      file.close();
    }
    expect_error<BadData>([&] { read(); }, {"d.h5"});
    expect_error<BadData>([&] { read(); }, words);
  };
  const std::vector<std::string> texts{"a", "b"};
  refuse([&](auto& file) { file.texts("/X1", texts); }, {"X1", "text", "matrix of numbers"});
  refuse([&](auto& file) { file.texts("/A", texts); }, {"A (2 text)", "--view-variables"});
  refuse([&](auto& file) { file.group("/X1"); }, {"X1", "a group", "matrix of numbers"});
  refuse([&](auto& file) { file.group("/X"), file.group("/X/a"); },
         {"/X/a", "no sparse matrix", "encoding-type"});
  refuse(
      [&](auto& file) {
        file.encoded_group("/X1", "csr_matrix", "0.1.0");
        file.attribute("/X1", "shape", std::vector<std::int64_t>{3, 3});
      },
      {"/X1/data", "not there"});
  write_unwritten({2, 2, 2}, H5T_NATIVE_DOUBLE);
  expect_error<BadData>([&] { read(); }, {"X1", "2 × 2 × 2"});
}

TEST_F(Hdf5, RefusesOtherFiles) {
  put_bytes(path_, "hello");
  expect_error<BadData>([&] { read(); }, {"d.h5", "not an HDF5 file"});
  write_h5(full_dataset(), path_);
  const std::string good = bytes_of(path_);
  put_bytes(path_, good.substr(0, good.size() / 2));
  expect_error<BadData>([&] { read(); }, {"d.h5", "cut short"});
}

TEST_F(Hdf5, PrintsNothingAndLeavesThePrintingAsItWas) {
  H5E_auto2_t before = nullptr, after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  put_bytes(path_, "hello");
  testing::internal::CaptureStderr();
  EXPECT_THROW(read(), BadData);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace m3lak
