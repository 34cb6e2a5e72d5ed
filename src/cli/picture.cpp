#include "cli/picture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "cli/write_text.h"
#include "data/file.h"
#include "m3lak/error.h"

namespace m3lak::cli {

namespace {

/// Runs rsvg-convert from file to file; whether it could, and did.
bool convert(const char* argument, const std::filesystem::path& from,
             const std::filesystem::path& to) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, from.c_str(), O_RDONLY, 0);
  constexpr mode_t readable = 0644;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, to.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   readable);
  std::string name = "rsvg-convert", own = argument;
  const std::array<char*, 3> arguments = {name.data(), own.data(), nullptr};
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, name.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void check_name(std::string_view option, const std::filesystem::path& file, bool may_be_table) {
  if (is_picture(file) || (may_be_table && file.extension() == ".csv")) return;
  throw BadUsage(fmt::format("{} {}: give a name that ends in .svg or .png{}", option,
                             file.string(), may_be_table ? ", or in .csv for a table" : ""));
}

void check_converter(std::string_view option, const std::filesystem::path& file) {
  if (file.extension() != ".png" || convert("--version", "/dev/null", "/dev/null")) return;
  throw BadUsage(fmt::format(
      "{} {}: for a .png the program rsvg-convert is needed, which is not here; install "
      "it (Debian: apt-get install librsvg2-bin), or give a name that ends in .svg",
      option, file.string()));
}

}  // namespace

bool is_picture(const std::filesystem::path& file) {
  return file.extension() == ".svg" || file.extension() == ".png";
}

void check_picture(std::string_view option, const std::filesystem::path& file) {
  check_name(option, file, false);
  check_converter(option, file);
  AtomicFiles().stage(file);
}

void check_picture_or_table(std::string_view option, const std::filesystem::path& file) {
  check_name(option, file, true);
  check_converter(option, file);
  AtomicFiles().stage(file);
}

void write_picture(const std::vector<Plot>& plots, const std::filesystem::path& file) {
  if (file.extension() == ".svg") return write_text(svg(plots), file);
  AtomicFiles scratch, files;
  const std::filesystem::path drawing = scratch.stage(file.string() + ".svg");
  write_text(svg(plots), drawing);
  if (!convert("--zoom=2", drawing, files.stage(file))) {
    throw Error(fmt::format("{}: rsvg-convert could not draw it; take an .svg", file.string()));
  }
  files.commit();
}

}  // namespace m3lak::cli
