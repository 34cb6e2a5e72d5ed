// Files as a whole: mapped for reading; written so that they appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "m3lak/export.h"

namespace m3lak {

/// A file mapped into memory. Throws BadData, with the remedy, if it is missing, a folder, not
/// readable or empty.
class M3LAK_API MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Files that are written under other names beside their place, and then appear together. Whatever
/// was not committed is removed by the destructor.
class M3LAK_API AtomicFiles {
 public:
  AtomicFiles() = default;
  ~AtomicFiles();
  AtomicFiles(const AtomicFiles&) = delete;
  AtomicFiles& operator=(const AtomicFiles&) = delete;

  /// Where to write what shall become `path`. Throws BadUsage if its folder does not exist or
  /// cannot be written to, or if `path` is itself a folder.
  std::filesystem::path stage(const std::filesystem::path& path);

  /// Brings all files to the disk, then to their places.
  void commit();

 private:
  struct Staged {
    std::filesystem::path temporary, final;
  };
  std::vector<Staged> staged_;
};

}  // namespace m3lak
