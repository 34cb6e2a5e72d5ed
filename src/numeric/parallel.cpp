#include "numeric/parallel.h"

#include <condition_variable>
#include <exception>
#include <limits>
#include <thread>

namespace m3lak {

using Eigen::Index;

namespace {

/// Waits a little for something that is about to happen: first without leaving the core, then
/// letting others have it. Sleeping and being woken take longer than most of our work.
template <class Happened>
bool soon(const Happened& happened) {
  constexpr int looks = 300, offers = 60;
  for (int i = 0; i < looks; ++i) {
    if (happened()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  for (int i = 0; i < offers; ++i) {
    if (happened()) return true;
    std::this_thread::yield();
  }
  return false;
}

}  // namespace

struct Workers::Crew {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable start, finish;
  std::atomic<std::uint64_t> round{0};  // counts the calls of run: a thread takes part once in each
  std::atomic<int> busy{0};
  std::atomic<bool> leave{false};

  const std::function<void(Index, int)>* work = nullptr;
  Index count = 0;
  std::atomic<Index> next{0};
  std::exception_ptr error;
  Index error_index = std::numeric_limits<Index>::max();

  void take_part(int worker) {
    for (Index i = next++; i < count; i = next++) {
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
  }

  void serve(int worker) {
    std::uint64_t seen = 0;
    const auto called = [&] { return leave || round != seen; };
    while (true) {
      if (!soon(called)) {
        std::unique_lock lock(mutex);
        start.wait(lock, called);
      }
      if (leave) return;
      seen = round;
      take_part(worker);
      if (--busy == 0) {
        const std::lock_guard lock(mutex);
        finish.notify_one();
      }
    }
  }
};

Workers::Workers(int threads) : crew_(std::make_unique<Crew>()) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
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
  {
    const std::lock_guard lock(crew.mutex);
    crew.work = &work;
    crew.count = count;
    crew.next = 0;
    crew.error = nullptr;
    crew.error_index = std::numeric_limits<Index>::max();
    crew.busy = static_cast<int>(crew.threads.size());
    ++crew.round;
  }
  crew.start.notify_all();
  crew.take_part(0);
  const auto done = [&] { return crew.busy == 0; };
  if (!soon(done)) {
    std::unique_lock lock(crew.mutex);
    crew.finish.wait(lock, done);
  }
  crew.work = nullptr;
  if (crew.error) std::rethrow_exception(crew.error);
}

void Workers::run(Index count, const std::function<void(Index)>& work) {
  run(count, [&](Index i, int) { work(i); });
}

}  // namespace m3lak
