#include "data/formats/text/text_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "m3lak/error.h"

namespace m3lak {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

}  // namespace

TextWriter::TextWriter(const std::filesystem::path& path)
    : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) fail();
  buffer_.reserve(buffer_size);
}

TextWriter::~TextWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void TextWriter::add(std::string_view text) {
  if (buffer_.size() + text.size() > buffer_size) flush();
  buffer_ += text;
}

void TextWriter::add(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  add(std::string_view(text, static_cast<std::size_t>(end - text)));
}

void TextWriter::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail();
  buffer_.clear();
}

void TextWriter::close() {
  flush();
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail();
}

void TextWriter::fail() const {
  throw Error(fmt::format("{}: cannot be written: {}", path_.string(),
                          std::generic_category().message(errno)));
}

}  // namespace m3lak
