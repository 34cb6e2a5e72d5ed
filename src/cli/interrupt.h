// Ctrl-C as a wish to stop soon, not as the end of the program.
#pragma once

#include <csignal>

namespace m3lak::cli {

/// While it lives, SIGINT and SIGTERM are remembered instead of ending the program; a second one of
/// the same kind ends it at once. The destructor puts the old handlers back. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// May be asked from any thread.
  bool requested() const;

  /// As shells count it: 128 + the number of the signal.
  int exit_status() const;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace m3lak::cli
