#include "inference/draw_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "m3lak/error.h"

namespace m3lak {

namespace {

/// The file is mapped in parts of this size or that of a draw, as a process may have only so many
/// mappings.
constexpr std::uint64_t bytes_a_chunk = std::uint64_t{1} << 26;

std::uint64_t page() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t to) {
  return (bytes + to - 1) / to * to;
}

template <class Plain>
std::uint64_t bytes_of(const Kept<Plain>& matrix) {
  return static_cast<std::uint64_t>(matrix.size()) * sizeof(double);
}

template <class ADraw, class Visit>
void for_each_matrix(ADraw& draw, const Visit& visit) {
  for (auto& view : draw.views) visit(view.projection);
  visit(draw.frequencies);
  visit(draw.weights);
  visit(draw.linear_weights);
}

std::uint64_t bytes_of_matrices(const Draw& draw) {
  std::uint64_t sum = 0;
  for_each_matrix(draw, [&](const auto& matrix) { sum += bytes_of(matrix); });
  return sum;
}

std::filesystem::path folder() {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::temp_directory_path(failed);
  return failed ? std::filesystem::path("(TMPDIR names no folder)") : path;
}

[[noreturn]] void cannot(const char* what) {
  throw Error(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

}  // namespace

template <class Plain>
void forget(const Kept<Plain>& matrix) {
  if (!matrix.is_in_file()) return;
  // Whole pages only: those at the ends are also others'.
  const auto begin = reinterpret_cast<std::uintptr_t>(matrix.data());
  const std::uintptr_t first = rounded_up(begin, page());
  const std::uintptr_t last = (begin + bytes_of(matrix)) / page() * page();
  if (last > first) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

template void forget(const Kept<DenseMatrix>&);
template void forget(const Kept<Matrix>&);

void forget(const Draw& draw) {
  for_each_matrix(draw, [](const auto& matrix) { forget(matrix); });
}

/// A part of the file, mapped.
struct DrawStore::Chunk {
  Chunk(int file, std::uint64_t from, std::uint64_t bytes) : begin(from), size(bytes) {
    memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, static_cast<off_t>(begin));
    if (memory == MAP_FAILED) cannot("it cannot be mapped into memory");
  }
  ~Chunk() { ::munmap(memory, size); }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  const double* at(std::uint64_t place) const {
    return reinterpret_cast<const double*>(static_cast<const std::byte*>(memory) + place - begin);
  }

  std::uint64_t begin, size;
  void* memory;
};

DrawStore::DrawStore(double bytes_in_memory, std::function<void(const std::string&)> warn)
    : left_(bytes_in_memory), warn_(std::move(warn)) {}

DrawStore::~DrawStore() {
  if (file_ >= 0) ::close(file_);
}

std::uint64_t DrawStore::in_file() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

void DrawStore::open() {
  if (file_ >= 0) return;
  std::string name = (folder() / "m3lak-draws-XXXXXX").string();
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) cannot("it cannot be made");
  ::unlink(name.c_str());  // it goes when nobody has it any more, however that comes about
}

/// A place in the file, and the chunk it is in.
std::uint64_t DrawStore::make_room(std::uint64_t bytes) {
  open();
  if (!chunk_ || end_ + bytes > chunk_->begin + chunk_->size) {
    const std::uint64_t size = rounded_up(std::max(bytes, bytes_a_chunk), page());
    if (::ftruncate(file_, static_cast<off_t>(size_ + size)) != 0) cannot("it cannot grow");
    chunk_ = std::make_shared<const Chunk>(file_, size_, size);
    end_ = size_;
    size_ += size;
  }
  return end_;
}

/// Writes, as to write into a mapping would end the program where the disk is full.
template <class Plain>
void DrawStore::move(std::uint64_t& at, Kept<Plain>& matrix) {
  const auto* from = reinterpret_cast<const char*>(matrix.data());
  const std::uint64_t size = bytes_of(matrix);
  for (std::uint64_t done = 0; done < size;) {
    const ssize_t wrote = ::pwrite(file_, from + done, size - done, static_cast<off_t>(at + done));
    if (wrote < 0 && errno != EINTR) cannot("it cannot be written");
    if (wrote > 0) done += static_cast<std::uint64_t>(wrote);
  }
  matrix = Kept<Plain>(chunk_->at(at), matrix.rows(), matrix.cols(), chunk_);
  at += size;
}

Draw DrawStore::keep(Draw draw) {
  const std::uint64_t bytes = bytes_of_matrices(draw);
  const std::lock_guard lock(mutex_);
  if (static_cast<double>(bytes) <= left_ || is_broken_) {
    left_ -= static_cast<double>(bytes);
    return draw;
  }
  try {
    std::uint64_t at = make_room(bytes);
    Draw moved = draw;
    for_each_matrix(moved, [&](auto& matrix) { move(at, matrix); });
    end_ = at;
    written_ += bytes;
    return moved;
  } catch (const std::exception& error) {
    is_broken_ = true;
    if (warn_) {
      warn_(fmt::format(
          "draws take more memory than draws-memory allows, and the file in {} for what "
          "is beyond that: {}; they stay in memory. TMPDIR names another folder",
          folder().string(), error.what()));
    }
    return draw;
  }
}

}  // namespace m3lak
