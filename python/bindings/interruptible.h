// Long work that Python can watch and stop.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace m3lak::python {

/// Runs work(stop) in a thread of its own, without the interpreter's lock. This thread meanwhile
/// sees to signals and calls `look`, both with the lock, ten times a second; an error there (a
/// KeyboardInterrupt, say) makes `stop` true, and is returned once the work has come to its end.
/// What the work throws is thrown here, unless there is such an error.
template <class Work>
nanobind::object run_interruptibly(const Work& work, const std::function<void()>& look) {
  namespace nb = nanobind;
  constexpr std::chrono::milliseconds between_looks{100};
  std::atomic<bool> stop = false;
  std::exception_ptr failure;
  nb::object error;
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  std::thread worker([&] {
    try {
      work(stop);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    finished.notify_one();
  });
  {
    const nb::gil_scoped_release release;
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, between_looks, [&] { return done; })) {
      lock.unlock();
      if (!stop) {
        const nb::gil_scoped_acquire acquire;
        try {
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
          if (look) look();
        } catch (const nb::python_error& raised) {
          error = nb::borrow(raised.value());
          stop = true;
        }
      }
      lock.lock();
    }
  }
  worker.join();
  if (failure && !error.is_valid()) std::rethrow_exception(failure);
  return error.is_valid() ? error : nb::none();
}

}  // namespace m3lak::python
