#include "data/file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "data/expect_error.h"
#include "data/temporary_folder.h"
#include "m3lak/error.h"

namespace m3lak {
namespace {

namespace fs = std::filesystem;

TEST(MappedFile, GivesTheBytes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.txt") << "abc";
  EXPECT_EQ(MappedFile(folder / "a.txt").text(), "abc");
}

TEST(MappedFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  expect_error<BadData>([&] { MappedFile(folder / "none.csv"); }, {"none.csv", "no such file"});
  expect_error<BadData>([&] { MappedFile(folder.path()); }, {"is a folder"});
  std::ofstream(folder / "empty.csv").close();
  expect_error<BadData>([&] { MappedFile(folder / "empty.csv"); }, {"empty.csv", "is empty"});
  expect_error<BadData>([&] { MappedFile("/dev/null"); }, {"not a regular file"});
}

TEST(AtomicFiles, AppearTogetherOrNotAtAll) {
  const TemporaryFolder folder;
  {
    AtomicFiles files;
    std::ofstream(files.stage(folder / "a.csv")) << "new";
    std::ofstream(files.stage(folder / "b.csv")) << "new";
    EXPECT_FALSE(fs::exists(folder / "a.csv"));
    files.commit();
  }
  EXPECT_EQ(MappedFile(folder / "a.csv").text(), "new");
  EXPECT_EQ(MappedFile(folder / "b.csv").text(), "new");
  {
    AtomicFiles files;  // something goes wrong before commit
    std::ofstream(files.stage(folder / "a.csv")) << "half";
  }
  EXPECT_EQ(MappedFile(folder / "a.csv").text(), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2) << "leftovers";
}

TEST(AtomicFiles, RefuseWhereNothingCanBe) {
  const TemporaryFolder folder;
  AtomicFiles files;
  expect_error<BadUsage>([&] { files.stage(folder / "no" / "a.csv"); },
                         {"does not exist", "mkdir -p"});
  expect_error<BadUsage>([&] { files.stage(folder.path()); }, {"is a folder"});
}

}  // namespace
}  // namespace m3lak
