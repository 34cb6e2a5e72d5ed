#include "numeric/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace m3lak {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// The number in the first line of a file, which need not be there nor hold one.
double number_in(const char* file) {
  double number = 0;
  std::ifstream in(file);
  return in >> number ? number : unknown;
}

double available_to_all() {
  std::ifstream in("/proc/meminfo");
  std::string key, unit;
  double kilobytes = 0;
  while (in >> key >> kilobytes) {
    if (key == "MemAvailable:") return 1024 * kilobytes;
    std::getline(in, unit);
  }
  return unknown;
}

}  // namespace

double available_memory() {
  // A container may have less than its machine.
  const double left =
      number_in("/sys/fs/cgroup/memory.max") - number_in("/sys/fs/cgroup/memory.current");
  return std::min(available_to_all(), left >= 0 ? left : unknown);
}

}  // namespace m3lak
