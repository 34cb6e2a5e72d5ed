#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace m3lak::cli {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds between_drawings{0.1};
constexpr Seconds between_lines{2};
constexpr Seconds longest_silence{60};

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string bar_of(int done, int total) {
  constexpr int width = 10;
  const int filled = static_cast<int>(static_cast<long long>(width) * done / std::max(total, 1));
  std::string bar(static_cast<std::size_t>(filled), '=');
  if (filled < width) bar += '>';
  bar.resize(width, ' ');
  return "[" + bar + "]";
}

int tenths_of(int done, int total) { return static_cast<int>(10LL * done / std::max(total, 1)); }

}  // namespace

ProgressBar::ProgressBar(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (visible_) draw("");
}

void ProgressBar::start(const std::string& stage, int done) {
  stage_ = stage;
  done_before_ = done;
  begin_ = drawn_ = Clock::now();
  tenths_ = -1;
}

bool ProgressBar::is_due(int done, int total, Clock::time_point now) const {
  const Seconds silence = now - drawn_;
  if (terminal_) return !visible_ || silence >= between_drawings || done == total;
  return silence >= between_lines &&
         (tenths_of(done, total) > tenths_ || silence >= longest_silence);
}

void ProgressBar::show(const std::string& stage, int done, int total, const std::string& details) {
  if (quiet_) return;
  if (stage != stage_) start(stage, done);
  const auto now = Clock::now();
  if (!is_due(done, total, now)) return;
  drawn_ = now;
  tenths_ = tenths_of(done, total);
  std::string left;
  if (done > done_before_ && done < total) {
    const double passed = Seconds(now - begin_).count();
    left = "  ETA " + duration(passed / (done - done_before_) * (total - done));
  }
  draw(fmt::format("{} {}{}/{}{}{}{}", stage, terminal_ ? bar_of(done, total) + " " : "", done,
                   total, left, details.empty() ? "" : "  ", details));
}

void ProgressBar::draw(const std::string& line) {
  if (terminal_) {
    // A line that is wider than the terminal could not be taken back.
    const std::string text = "\r\033[K" + line.substr(0, terminal_width() - 1);
    std::fputs(text.c_str(), stderr);
    visible_ = true;
  } else {
    std::fputs((line + "\n").c_str(), stderr);
  }
}

std::function<void(const Progress&)> show_fit(ProgressBar& bar) {
  return [&bar, accuracy = -1.0](const Progress& progress) mutable {
    std::string details;
    const TraceRow& last = progress.last;
    if (last.training_accuracy >= 0) accuracy = last.training_accuracy;
    if (accuracy >= 0) details = fmt::format("accuracy {:.3f}  ", accuracy);
    if (last.iteration > 0) {
      // Latents that no label pulls at are drawn, not moved.
      const bool moved = !std::isnan(last.latent_acceptance);
      details +=
          moved ? fmt::format("accepted h {:.2f} w ", last.latent_acceptance) : "accepted w ";
      details += fmt::format("{:.2f}  {} component{}", last.frequency_acceptance, last.components,
                             last.components == 1 ? "" : "s");
    }
    bar.show(progress.stage, progress.done, progress.total, details);
  };
}

std::string duration(double seconds) {
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace m3lak::cli
