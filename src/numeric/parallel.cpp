#include "numeric/parallel.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <thread>

namespace m3lak {

using Eigen::Index;

namespace {

/// Waits a little for something that is about to happen, without leaving the core: sleeping and
/// being woken take longer than most of our work. No pause instruction: in virtual machines it may
/// hand the core to somebody else.
template <class Happened>
bool soon(const Happened& happened) {
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::microseconds(100);
  const auto start = Clock::now();
  do {
    for (int i = 0; i < 200; ++i) {
      if (happened()) return true;
    }
  } while (Clock::now() - start < patience);
  return false;
}

}  // namespace

struct Workers::Crew {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable start, finish;

  // In cache lines of their own, as one thread looks while another works. Who looks in vain for a
  // while goes to sleep; whoever sleeps is counted, so that nobody locks or wakes without need.
  alignas(64) std::atomic<std::uint64_t> round{0};  // of `run`: a thread takes part once in each
  alignas(64) std::atomic<int> busy{0};
  alignas(64) std::atomic<int> asleep{0};
  std::atomic<bool> caller_asleep{false};
  std::atomic<bool> leave{false};

  const std::function<void(Index, int)>* work = nullptr;

  // Each thread begins with a share of its own, the same in each round, so that what it works on
  // stays in its cache; whoever is done helps the others.
  struct alignas(64) Share {
    std::atomic<Index> next{0};
    Index end = 0;
  };
  std::vector<Share> shares;
  std::exception_ptr error;
  Index error_index = std::numeric_limits<Index>::max();

  void take_part(int worker) {
    for (std::size_t turn = 0; turn < shares.size(); ++turn) {
      Share& share = shares[(static_cast<std::size_t>(worker) + turn) % shares.size()];
      for (Index i = share.next++; i < share.end; i = share.next++) do_one(i, worker);
    }
  }

  void do_one(Index i, int worker) {
    try {
      (*work)(i, worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < error_index) {
        error_index = i;
        error = std::current_exception();
      }
    }
  }

  void serve(int worker) {
    std::uint64_t seen = 0;
    const auto called = [&] { return leave || round != seen; };
    while (true) {
      if (!soon(called)) {
        std::unique_lock lock(mutex);
        ++asleep;
        start.wait(lock, called);
        --asleep;
      }
      if (leave) return;
      seen = round;
      take_part(worker);
      if (--busy == 0 && caller_asleep) {
        const std::lock_guard lock(mutex);
        finish.notify_one();
      }
    }
  }
};

Workers::Workers(int threads, Cluster* cluster)
    : crew_(std::make_unique<Crew>()), cluster_(cluster) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  crew_->shares = std::vector<Crew::Share>(static_cast<std::size_t>(threads));
  for (int i = 1; i < threads; ++i)
    crew_->threads.emplace_back([crew = crew_.get(), i] { crew->serve(i); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(crew_->mutex);
    crew_->leave = true;
  }
  crew_->start.notify_all();
  for (std::thread& thread : crew_->threads) thread.join();
}

int Workers::threads() const { return static_cast<int>(crew_->threads.size()) + 1; }

void Workers::run(Index count, const std::function<void(Index, int)>& work) {
  if (crew_->threads.empty() || count <= 1) {
    for (Index i = 0; i < count; ++i) work(i, 0);
    return;
  }
  Crew& crew = *crew_;
  crew.work = &work;
  const auto threads_count = static_cast<Index>(crew.shares.size());
  for (Index t = 0; t < threads_count; ++t) {
    Crew::Share& share = crew.shares[static_cast<std::size_t>(t)];
    share.next = t * count / threads_count;
    share.end = (t + 1) * count / threads_count;
  }
  crew.error = nullptr;
  crew.error_index = std::numeric_limits<Index>::max();
  crew.busy = static_cast<int>(crew.threads.size());
  ++crew.round;
  if (crew.asleep > 0) {
    const std::lock_guard lock(crew.mutex);
    crew.start.notify_all();
  }
  crew.take_part(0);
  const auto done = [&] { return crew.busy == 0; };
  if (!soon(done)) {
    std::unique_lock lock(crew.mutex);
    crew.caller_asleep = true;
    crew.finish.wait(lock, done);
    crew.caller_asleep = false;
  }
  crew.work = nullptr;
  if (crew.error) std::rethrow_exception(crew.error);
}

void Workers::run(Index count, const std::function<void(Index)>& work) {
  run(count, [&](Index i, int) { work(i); });
}

}  // namespace m3lak
