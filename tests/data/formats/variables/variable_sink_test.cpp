#include "data/formats/variables/variable_sink.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "data/formats/hdf5/h5mu.h"
#include "data/formats/hdf5/hdf5.h"
#include "data/formats/mat/mat.h"
#include "data/formats/npy/npy.h"
#include "data/formats/npy/npz.h"
#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

TEST(NumericLabels, AreNumbersOnlyIfTheyReadBackTheSame) {
  const auto numbers = numeric_labels(Labels::from_texts({"2", "", "-0.5", "2"}));
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->at(0), 2);
  EXPECT_TRUE(std::isnan(numbers->at(1)));
  EXPECT_EQ(numbers->at(2), -0.5);
  EXPECT_FALSE(numeric_labels(Labels::from_texts({"1", "a"})));
  EXPECT_FALSE(numeric_labels(Labels::from_texts({"1", "inf"})));
  Labels padded;
  padded.classes = {"007"};
  padded.of = {0};
  EXPECT_FALSE(numeric_labels(padded));
}

/// No file may grow larger than this while it lives, as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST(Writers, SayIfTheDiskIsFull) {
  Dataset data = full_dataset();
  data.views[0].values = DenseMatrix(DenseMatrix::Random(5, 10'000));
  data.views[0].feature_names.clear();
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "d";
  using Write = std::function<void()>;
  const std::vector<std::pair<const char*, Write>> writers = {
      {"npy", [&] { write_npy(data, 0, path); }},
      {"npz", [&] { write_npz(data, path); }},
      {"mat", [&] { write_mat(data, path, false); }},
      {"mat73", [&] { write_mat(data, path, true); }},
      {"h5", [&] { write_h5(data, path); }},
      {"h5mu", [&] { write_h5mu(data, path); }},
  };
  for (const rlim_t bytes : {0, 1000, 100'000}) {
    for (const auto& [name, write] : writers) {
      const FullDisk full(bytes);
      EXPECT_THROW(write(), Error) << name << " with " << bytes << " bytes";
    }
  }
  for (const auto& [name, write] : writers) EXPECT_NO_THROW(write()) << name;
}

TEST(Writers, SayIfThereIsNoSuchFolder) {
  const Dataset data = full_dataset();
  const std::filesystem::path path = "/no/such/folder/d";
  expect_error<Error>([&] { write_npy(data, 0, path); }, {"/no/such/folder/d"});
  expect_error<Error>([&] { write_npz(data, path); }, {"/no/such/folder/d"});
  expect_error<Error>([&] { write_mat(data, path, false); }, {"/no/such/folder/d"});
  expect_error<Error>([&] { write_mat(data, path, true); }, {"/no/such/folder/d"});
  expect_error<Error>([&] { write_h5(data, path); }, {"/no/such/folder/d"});
  expect_error<Error>([&] { write_h5mu(data, path); }, {"/no/such/folder/d"});
}

}  // namespace
}  // namespace m3lak
