#include "numeric/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>

#include "m3lak/error.h"

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

std::string bytes_text(double bytes) {
  if (bytes < 1e9) return fmt::format("{:.0f} MB", bytes / 1e6);
  return fmt::format("{:.{}f} GB", bytes / 1e9, bytes < 10e9 ? 1 : 0);
}

MemoryAccount::Promise::Promise(MemoryAccount& account, double bytes,
                                const std::function<bool()>& stop)
    : account_(account), bytes_(bytes) {
  constexpr auto look_at_stop_after = std::chrono::milliseconds(100);
  std::unique_lock lock(account_.mutex_);
  account_.waiting_.push_back(this);
  const auto is_next = [&] {
    if (account_.waiting_.front() != this) return false;
    return account_.holders_ == 0 || account_.promised_ + bytes_ <= account_.there_;
  };
  while (!account_.changed_.wait_for(lock, look_at_stop_after, is_next)) {
    lock.unlock();
    const bool is_stopped = stop && stop();
    lock.lock();
    if (!is_stopped) continue;
    std::erase(account_.waiting_, this);
    account_.changed_.notify_all();
    throw Stopped("stopped while it waited for memory");
  }
  if (account_.holders_ == 0) account_.there_ = account_.available_();
  account_.waiting_.pop_front();
  ++account_.holders_;
  account_.promised_ += bytes_;
  account_.changed_.notify_all();  // the next may fit too
}

MemoryAccount::Promise::~Promise() {
  const std::lock_guard lock(account_.mutex_);
  account_.promised_ = --account_.holders_ == 0 ? 0 : account_.promised_ - bytes_;
  account_.changed_.notify_all();
}

bool MemoryAccount::Promise::fits_alone() const {
  const std::lock_guard lock(account_.mutex_);
  return bytes_ <= account_.there_;
}

MemoryAccount& MemoryAccount::of_process() {
  static MemoryAccount account;
  return account;
}

}  // namespace m3lak
