// What the library throws. Each message names the file, place and value at fault, and the remedy.
#pragma once

#include <stdexcept>

#include "m3lak/export.h"

namespace m3lak {

/// Something failed that is neither the caller's nor the data's fault (a full disk, say).
class M3LAK_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A setting, option or argument breaks its rule.
class M3LAK_API BadUsage : public Error {
 public:
  using Error::Error;
};

/// A file or array does not hold what it should.
class M3LAK_API BadData : public Error {
 public:
  using Error::Error;
};

/// The work would take more memory than there is; it was not begun.
class M3LAK_API TooLarge : public Error {
 public:
  using Error::Error;
};

/// The caller's `stop` ended the work before there was anything to return.
class M3LAK_API Stopped : public Error {
 public:
  using Error::Error;
};

}  // namespace m3lak
