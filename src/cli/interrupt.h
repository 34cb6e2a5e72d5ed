// Ctrl-C as a wish to stop soon, not as the end of the program.
#pragma once

#include <csignal>

namespace m3lak::cli {

/// While it lives, SIGINT and SIGTERM are remembered instead of ending the program; a second one of
/// the same kind ends it at once. The destructor puts the old handlers back. One at a time.
class Interrupt {
 public:
  Interrupt() : Interrupt(false) {}

  /// `of_several`: this is one of several processes. SIGUSR1, which mpirun passes on at once, is
  /// then the same as SIGTERM.
  explicit Interrupt(bool of_several);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// May be asked from any thread.
  bool requested() const;

  /// As shells count it: 128 + the number of the signal; that of SIGTERM if another process got it.
  int exit_status() const;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
  struct sigaction old_user_ {};
};

}  // namespace m3lak::cli
