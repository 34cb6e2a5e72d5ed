// How much memory there is, and who may have it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace m3lak {

/// Bytes that can still be had without swapping, as far as the system says; infinite if it does
/// not.
double available_memory();

/// "40 MB", "1.2 GB", "12 GB".
std::string bytes_text(double bytes);

/// What pieces of work at the same time have been promised, which they need not have taken yet.
/// Whoever would not fit beside the others waits for them. First come, first served.
class MemoryAccount {
 public:
  /// `available`: bytes that can be had when nobody has a promise.
  explicit MemoryAccount(std::function<double()> available = available_memory)
      : available_(std::move(available)) {}

  /// Given back when it goes. Nobody may ask for a second one while having one.
  class Promise {
   public:
    /// Returns at once if there is room or nobody else has a promise, were it for more than there
    /// is: who is alone may see for himself. 0 bytes: not worth a word. Throws Stopped if `stop`
    /// (which may be empty), asked now and then, says so.
    Promise(MemoryAccount& account, double bytes, const std::function<bool()>& stop);
    ~Promise();
    Promise(const Promise&) = delete;
    Promise& operator=(const Promise&) = delete;

    /// Whether so much was there when nobody had a promise.
    bool fits_alone() const;

   private:
    MemoryAccount& account_;
    double bytes_;
  };

  /// Of this process.
  static MemoryAccount& of_process();

 private:
  std::function<double()> available_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<const Promise*> waiting_;
  int holders_ = 0;
  double promised_ = 0, there_ = 0;  ///< what there was when nobody had a promise
};

}  // namespace m3lak
