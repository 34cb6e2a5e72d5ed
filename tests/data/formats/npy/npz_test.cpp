#include "data/formats/npy/npz.h"

#include <gtest/gtest.h>
#include <zip.h>

#include "data/formats/npy/npy_array.h"
#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

class Npz : public testing::Test {
 protected:
  struct Member {
    std::string name, bytes;
    zip_int32_t method = ZIP_CM_DEFLATE;
  };

  void write(const std::vector<Member>& members) {
    zip_t* zip = zip_open(path_.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const Member& member : members) {
      zip_source_t* source = zip_source_buffer(zip, member.bytes.data(), member.bytes.size(), 0);
      const zip_int64_t index = zip_file_add(zip, member.name.c_str(), source, 0);
      zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), member.method, 0);
    }
    ASSERT_EQ(zip_close(zip), 0);
  }
  FileContents read(const DataSource& source = {}) { return read_with(read_npz, path_, source); }

  static std::string doubles(const std::vector<std::uint64_t>& shape, std::size_t count) {
    const std::vector<double> values(count, 0.5);
    return npy_header("<f8", shape) +
           std::string(reinterpret_cast<const char*>(values.data()), 8 * count);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "d.npz";
};

TEST_F(Npz, WritesWhatItReads) {
  for (const auto& labels : {std::vector<std::string>{"köln", "", "東京", "köln", "bonn"},
                             std::vector<std::string>{"1", "", "2.5", "1", "-3"}}) {
    const Dataset data = full_dataset(labels);
    write_npz(data, path_);
    expect_same(read(), data);
  }
}

TEST_F(Npz, WritesASparseViewThatIsNotPacked) {
  Dataset data = full_dataset();
  std::get<SparseMatrix>(data.views[1].values).uncompress();
  write_npz(data, path_);
  expect_same_values(read().views[1].values, data.views[1]);
}

TEST_F(Npz, ReadsMembersStoredOrDeflated) {
  for (const zip_int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    write({{"X.npy", doubles({3, 2}, 6), method}});
    EXPECT_EQ(std::get<DenseMatrix>(read().views.at(0).values), DenseMatrix::Constant(3, 2, 0.5));
  }
}

TEST_F(Npz, RefusesOtherFiles) {
  write({{"xl/workbook.xml", "<xml/>"}});
  expect_error<BadData>([&] { read(); }, {"d.npz", "no .npz file", "numpy.savez"});
  put_bytes(path_, "x,y\n1,2\n");
  expect_error<BadData>([&] { read(); }, {"d.npz", "not an .npz file", "numpy.savez"});
}

TEST_F(Npz, RefusesDamage) {
  write({{"X.npy", doubles({3, 2}, 6), ZIP_CM_STORE}});
  const std::string good = bytes_of(path_);
  std::string flipped = good;
  flipped[good.find("\x93NUMPY") + 100] ^= 1;  // in the header's padding, or in the values
  put_bytes(path_, flipped);
  expect_error<BadData>([&] { read(); }, {"d.npz", "X", "CRC"});
  put_bytes(path_, good.substr(0, good.size() / 2));
  expect_error<BadData>([&] { read(); }, {"d.npz", "cut short"});
}

TEST_F(Npz, RefusesClaimsThatCannotBe) {
  write({{"X.npy", doubles({100000, 100000}, 6)}});
  expect_error<BadData>([&] { read(); }, {"X", "100000 × 100000"});

  // The size in the directory of the zip file, which says how much to allocate.
  write({{"X.npy", doubles({3, 2}, 6)}});
  std::string bytes = bytes_of(path_);
  const std::size_t size_at = bytes.find("PK\1\2") + 24;
  bytes.replace(size_at, 4, "\xFE\xFF\xFF\xFF");
  put_bytes(path_, bytes);
  expect_error<BadData>([&] { read(); }, {"d.npz", "4294967294", "damaged"});
}

TEST_F(Npz, RefusesSparseMatricesThatAreNotWhole) {
  write({{"X1_data.npy", doubles({2}, 2)},
         {"X1_indices.npy", doubles({2}, 2)},
         {"X1_indptr.npy", doubles({2}, 2)}});
  expect_error<BadData>([&] { read(); }, {"X1_shape", "not there"});
}

TEST_F(Npz, SaysWhatIsThereIfViewsAreNot) {
  write({{"A.npy", doubles({3, 2}, 6)}, {"b.npy", doubles({3}, 3)}});
  expect_error<BadData>([&] { read(); },
                        {"d.npz", "A (3 × 2 float64)", "b (3 float64)", "--view-variables A,B"});
}

}  // namespace
}  // namespace m3lak
