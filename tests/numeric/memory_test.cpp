#include "numeric/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace m3lak {
namespace {

TEST(Memory, ThereIsSomeButNotMoreThanTheMachineHas) {
  const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(available_memory(), 1e7);
  EXPECT_LE(available_memory(), all);
}

}  // namespace
}  // namespace m3lak
