// Where draws are kept: in memory up to a limit, and their matrices in a file beyond it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "m3lak/model.h"

namespace m3lak {

/// Lets go of the memory that what was read of a mapped file takes; it is read again when it is
/// looked at.
template <class Plain>
void forget(const Kept<Plain>& matrix);

/// The same for all matrices of a draw.
void forget(const Draw& draw);

class DrawStore {
 public:
  /// The file, if it comes to that, is a nameless one in the folder for temporary files. Where it
  /// cannot be written, `warn` is told, and draws stay in memory.
  DrawStore(double bytes_in_memory, std::function<void(const std::string&)> warn);
  ~DrawStore();
  DrawStore(const DrawStore&) = delete;
  DrawStore& operator=(const DrawStore&) = delete;

  /// The same draw, which may be in the file now. From any thread. It stays when the store goes.
  Draw keep(Draw draw);

  /// Bytes in the file.
  std::uint64_t in_file() const;

 private:
  struct Chunk;

  void open();
  std::uint64_t make_room(std::uint64_t bytes);
  template <class Plain>
  void move(std::uint64_t& at, Kept<Plain>& matrix);

  double left_;  // bytes of memory
  std::function<void(const std::string&)> warn_;
  mutable std::mutex mutex_;
  int file_ = -1;
  bool is_broken_ = false;
  std::shared_ptr<const Chunk> chunk_;  // the last part of the file
  std::uint64_t end_ = 0;               // of what is used of the file
  std::uint64_t size_ = 0;              // of the file
  std::uint64_t written_ = 0;
};

}  // namespace m3lak
