#include "numeric/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "m3lak/error.h"

namespace m3lak {
namespace {

TEST(Memory, ThereIsSomeButNotMoreThanTheMachineHas) {
  const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(available_memory(), 1e7);
  EXPECT_LE(available_memory(), all);
}

TEST(Memory, HasATextThatTellsNeighboursApart) {
  EXPECT_EQ(bytes_text(40e6), "40 MB");
  EXPECT_EQ(bytes_text(1.24e9), "1.2 GB");
  EXPECT_EQ(bytes_text(1.4e9), "1.4 GB");
  EXPECT_EQ(bytes_text(84.4e9), "84 GB");
}

using Promise = MemoryAccount::Promise;

/// Asks for a promise in a thread of its own and keeps it until it goes.
class Holder {
 public:
  Holder(MemoryAccount& account, double bytes)
      : thread_([this, &account, bytes] {
          const Promise promise(account, bytes, {});
          has_it_ = true;
          has_it_.notify_all();
          may_go_.wait(false);
        }) {}
  ~Holder() {
    may_go_ = true;
    may_go_.notify_all();
    thread_.join();
  }

  void wait() const { has_it_.wait(false); }
  bool has_it() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return has_it_;
  }

 private:
  std::atomic<bool> has_it_ = false, may_go_ = false;
  std::thread thread_;
};

TEST(MemoryAccount, WhatDoesNotFitBesideOthersWaits) {
  // What the first has taken is no longer available, but was counted already.
  double available = 100;
  MemoryAccount account([&] { return available; });
  auto first = std::make_unique<Holder>(account, 60);
  first->wait();
  available = 40;
  const Holder beside(account, 40);
  beside.wait();
  auto too_much = std::make_unique<Holder>(account, 50);
  const Holder behind_it(account, 1);
  EXPECT_FALSE(too_much->has_it());
  EXPECT_FALSE(behind_it.has_it());
  first.reset();
  too_much->wait();
  behind_it.wait();
}

TEST(MemoryAccount, WhoIsAloneMaySeeForHimself) {
  MemoryAccount account([] { return 100.0; });
  auto large = std::make_unique<Holder>(account, 1000);
  large->wait();
  auto small = std::make_unique<Holder>(account, 1);
  EXPECT_FALSE(small->has_it());
  large.reset();
  small->wait();
  // Once more as much as there is, and nothing.
  const Promise rest(account, 99, {}), nothing(account, 0, {});
  EXPECT_TRUE(rest.fits_alone());
}

TEST(MemoryAccount, WaitingCanBeStopped) {
  MemoryAccount account([] { return 100.0; });
  std::optional<Promise> first(std::in_place, account, 60.0, std::function<bool()>());
  EXPECT_THROW(Promise(account, 50, [] { return true; }), Stopped);
  const Holder second(account, 40);  // nobody is before it
  second.wait();
}

}  // namespace
}  // namespace m3lak
