#include "data/rows_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "m3lak/error.h"

namespace m3lak {

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

RowsFile::RowsFile(const std::filesystem::path& path, const Layout& layout)
    : path_(path.string()),
      layout_(layout),
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(reason(errno));
  opened_ = status();
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);  // only a hint
}

RowsFile::~RowsFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RowsFile::fail(const std::string& what) const {
  throw BadData(fmt::format("{}: cannot be read: {}", path_, what));
}

struct stat RowsFile::status() const {
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) fail(reason(errno));
  return now;
}

void RowsFile::read(Index first, Index count, void* out) const {
  const auto row_bytes = static_cast<std::size_t>(layout_.columns) *
                         (layout_.is_float ? sizeof(float) : sizeof(double));
  std::size_t left = static_cast<std::size_t>(count) * row_bytes;
  std::size_t at = layout_.begin + static_cast<std::size_t>(first) * row_bytes;
  auto* to = static_cast<std::byte*>(out);
  while (left > 0) {
    const ssize_t got = ::pread(descriptor_, to, left, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(reason(errno));
    if (got == 0) break;  // cut short, which its status tells too
    to += got;
    at += static_cast<std::size_t>(got);
    left -= static_cast<std::size_t>(got);
  }
  const struct stat now = status();
  if (left > 0 || now.st_size != opened_.st_size || now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec) {
    throw BadData(
        fmt::format("{}: was changed while it was being read; data that stays in its file "
                    "(--stream) must be left as it is until the work is done; start again",
                    path_));
  }
}

}  // namespace m3lak
