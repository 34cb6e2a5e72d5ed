#include "numeric/parallel.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace m3lak {

using Eigen::Index;

struct Workers::Crew {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable start, finish;
  std::uint64_t round = 0;  // counts the calls of run, so that a thread takes part once in each
  int busy = 0;
  bool leave = false;

  const std::function<void(Index)>* work = nullptr;
  Index count = 0;
  std::atomic<Index> next{0};
  std::exception_ptr error;
  Index error_index = std::numeric_limits<Index>::max();

  void take_part() {
    for (Index i = next++; i < count; i = next++) {
      try {
        (*work)(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < error_index) {
          error_index = i;
          error = std::current_exception();
        }
      }
    }
  }

  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      start.wait(lock, [&] { return leave || round != seen; });
      if (leave) return;
      seen = round;
      lock.unlock();
      take_part();
      lock.lock();
      if (--busy == 0) finish.notify_one();
    }
  }
};

Workers::Workers(int threads) : crew_(std::make_unique<Crew>()) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int i = 1; i < threads; ++i)
    crew_->threads.emplace_back([crew = crew_.get()] { crew->serve(); });
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

void Workers::run(Index count, const std::function<void(Index)>& work) {
  if (crew_->threads.empty() || count <= 1) {
    for (Index i = 0; i < count; ++i) work(i);
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
  crew.take_part();
  std::unique_lock lock(crew.mutex);
  crew.finish.wait(lock, [&] { return crew.busy == 0; });
  crew.work = nullptr;
  if (crew.error) std::rethrow_exception(crew.error);
}

}  // namespace m3lak
