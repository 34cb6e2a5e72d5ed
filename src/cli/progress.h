// How far a long run is: on a terminal one line that is drawn again and again, else a few lines.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "m3lak/model.h"

namespace m3lak::cli {

/// On standard error, so that it never mixes with results.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// May be called as often as there is news, by one thread at a time: it is drawn no more often
  /// than it can be read.
  void show(const std::string& stage, int done, int total, const std::string& details);

 private:
  using Clock = std::chrono::steady_clock;

  void start(const std::string& stage, int done);
  bool is_due(int done, int total, Clock::time_point now) const;
  void draw(const std::string& line);

  const bool quiet_;
  const bool terminal_;
  std::string stage_;
  Clock::time_point begin_;  // of the stage
  int done_before_ = 0;      // what had been done by then, as it may be resumed
  Clock::time_point drawn_;
  int tenths_ = -1;  // of the stage, when it was last drawn; -1: not yet
  bool visible_ = false;
};

/// What fit() calls: shows acceptance, mixture components and the last known training accuracy.
std::function<void(const Progress&)> show_fit(ProgressBar& bar);

/// "12.3 s", "2 min 05 s", "3 h 07 min"
std::string duration(double seconds);

}  // namespace m3lak::cli
