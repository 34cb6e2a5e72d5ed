// A matrix in a file, of which rows are read into memory of the caller.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "m3lak/dataset.h"

namespace m3lak {

/// Numbers in a file, by rows. Nothing of it is kept in memory, and it is not mapped: a file that
/// is cut short meanwhile is an error like others.
class RowsFile {
 public:
  struct Layout {
    std::size_t begin = 0;  ///< the byte at which the first row starts
    Index rows = 0, columns = 0;
    bool is_float = false;
  };

  /// Throws BadData if the file cannot be opened.
  RowsFile(const std::filesystem::path& path, const Layout& layout);
  ~RowsFile();
  RowsFile(const RowsFile&) = delete;
  RowsFile& operator=(const RowsFile&) = delete;

  const Layout& layout() const { return layout_; }

  /// Reads rows as they are. Throws BadData if the file is no longer what it was when it was
  /// opened.
  void read(Index first, Index count, void* out) const;

 private:
  struct stat status() const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  Layout layout_;
  int descriptor_ = -1;
  struct stat opened_ {};
};

}  // namespace m3lak
