#include "study/child.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <exception>

#include "m3lak/error.h"
#include "numeric/clock.h"

namespace m3lak {

namespace {

constexpr char returned_mark = 'r', threw_mark = 't';

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t now = write(file, text.data() + done, text.size() - done);
    if (now <= 0) return;
    done += static_cast<std::size_t>(now);
  }
}

[[noreturn]] void run_child(const std::function<std::string()>& work, int out) {
  // The parent decides when to stop.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  try {
    write_all(out, returned_mark + work());
  } catch (const std::bad_alloc&) {
    write_all(out, std::string{threw_mark} + "not enough memory");
  } catch (const std::exception& error) {
    write_all(out, threw_mark + std::string(error.what()));
  }
  _exit(0);
}

/// Reads until the other side is closed, the time is up, or it is told to stop.
ChildResult::End read_result(int in, double seconds, const std::function<bool()>& stop,
                             std::string& text) {
  constexpr int patience = 200;  // milliseconds between two looks at the clock
  const Clock clock;
  std::array<char, 4096> buffer;
  while (true) {
    if (stop && stop()) return ChildResult::End::stopped;
    if (clock.seconds() > seconds) return ChildResult::End::too_long;
    pollfd ready{in, POLLIN, 0};
    if (poll(&ready, 1, patience) <= 0) continue;
    const ssize_t count = read(in, buffer.data(), buffer.size());
    if (count <= 0) return ChildResult::End::returned;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

ChildResult in_child(const std::function<std::string()>& work, double seconds,
                     const std::function<bool()>& stop) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error(std::string("no pipe: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("no child process: ") + std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    run_child(work, ends[1]);
  }
  close(ends[1]);
  ChildResult result;
  result.end = read_result(ends[0], seconds, stop, result.text);
  close(ends[0]);
  if (result.end != ChildResult::End::returned) kill(child, SIGKILL);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.peak_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  if (result.end != ChildResult::End::returned) return result;
  if (result.text.empty()) {
    result.end = ChildResult::End::killed;
    result.by_force = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    result.text = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended without a word";
    return result;
  }
  if (result.text[0] == threw_mark) result.end = ChildResult::End::threw;
  result.text.erase(0, 1);
  return result;
}

}  // namespace m3lak
