// libzip's handles, and what it has to say.
#pragma once

#include <zip.h>

#include <memory>
#include <string>

namespace m3lak {

struct ZipCloser {
  void operator()(zip_t* zip) const { zip_discard(zip); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Zip = std::unique_ptr<zip_t, ZipCloser>;
using ZipMember = std::unique_ptr<zip_file_t, ZipCloser>;

inline std::string zip_message(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  return message;
}

}  // namespace m3lak
