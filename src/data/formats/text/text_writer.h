// Writing of text files.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "m3lak/export.h"

namespace m3lak {

/// Throws Error if the file cannot be written, a full disk included.
class M3LAK_API TextWriter {
 public:
  explicit TextWriter(const std::filesystem::path& path);
  ~TextWriter();
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;

  void add(char c) { add(std::string_view(&c, 1)); }
  void add(std::string_view text);

  /// As short as it can be read back.
  void add(double value);

  /// To be called at the end: only then all is written.
  void close();

 private:
  void flush();
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::FILE* file_;
  std::string buffer_;
};

}  // namespace m3lak
