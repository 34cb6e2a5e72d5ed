#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace m3lak::cli {

namespace {

// A signal handler can reach nothing but what is global.
std::atomic<int> received = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void remember(int signal) {
  const int saved_error = errno;
  received = signal;
  constexpr std::string_view text = "\nstopping as soon as possible; once more: at once\n";
  // If this cannot be written there is nobody to tell.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  errno = saved_error;
}

}  // namespace

Interrupt::Interrupt(bool of_several) {
  received = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  // The handler is gone after its first call: the second signal then ends the program.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
  sigaction(SIGUSR1, of_several ? &action : nullptr, &old_user_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  sigaction(SIGUSR1, &old_user_, nullptr);
}

bool Interrupt::requested() const { return received != 0; }

int Interrupt::exit_status() const { return 128 + (received == SIGINT ? SIGINT : SIGTERM); }

}  // namespace m3lak::cli
