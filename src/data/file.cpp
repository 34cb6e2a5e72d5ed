#include "data/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string reason(int error) { return std::generic_category().message(error); }

void bring_to_disk(const fs::path& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0 || ::fsync(file.get()) != 0) {
    throw Error(fmt::format("{}: cannot be written to the disk: {}", path.string(), reason(errno)));
  }
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

MappedFile::MappedFile(const fs::path& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) {
    const int error = errno;
    if (error == ENOENT) {
      throw BadData(fmt::format("{}: no such file (looked in {})", path.string(),
                                fs::absolute(folder_of(path)).lexically_normal().string()));
    }
    throw BadData(fmt::format("{}: cannot be opened: {}", path.string(), reason(error)));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    throw BadData(fmt::format("{}: cannot be read: {}", path.string(), reason(errno)));
  }
  if (S_ISDIR(status.st_mode)) {
    throw BadData(fmt::format("{}: is a folder; name a file in it", path.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    throw BadData(
        fmt::format("{}: is not a regular file; save its contents to one first", path.string()));
  }
  if (status.st_size == 0) throw BadData(fmt::format("{}: the file is empty", path.string()));
  size_ = static_cast<std::size_t>(status.st_size);
  void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) {
    throw BadData(fmt::format("{}: cannot be read: {}", path.string(), reason(errno)));
  }
  data_ = static_cast<const std::byte*>(memory);
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(data_), size_); }

AtomicFiles::~AtomicFiles() {
  for (const Staged& file : staged_) {
    std::error_code ignored;
    fs::remove(file.temporary, ignored);
  }
}

fs::path AtomicFiles::stage(const fs::path& path) {
  const fs::path folder = folder_of(path);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw BadUsage(fmt::format("{}: the folder {} does not exist; make it first (mkdir -p {})",
                               path.string(), folder.string(), folder.string()));
  }
  if (fs::is_directory(path, ignored)) {
    throw BadUsage(fmt::format("{}: is a folder; name a file in it", path.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw BadUsage(
        fmt::format("{}: the folder {} cannot be written to", path.string(), folder.string()));
  }
  // The ending stays last: some libraries go by it.
  const fs::path temporary = folder / fmt::format(".{}.{}.part{}", path.stem().string(), ::getpid(),
                                                  path.extension().string());
  staged_.push_back({temporary, path});
  return temporary;
}

void AtomicFiles::commit() {
  for (const Staged& file : staged_) bring_to_disk(file.temporary);
  for (const Staged& file : staged_) fs::rename(file.temporary, file.final);
  for (const Staged& file : staged_) bring_to_disk(folder_of(file.final));
  staged_.clear();
}

}  // namespace m3lak
