// matio's handles, and what it has to say: kept for our messages instead of printed.
#pragma once

#include <matio.h>

#include <memory>
#include <mutex>
#include <string>

namespace m3lak {

struct MatCloser {
  void operator()(mat_t* file) const { Mat_Close(file); }
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using MatHandle = std::unique_ptr<mat_t, MatCloser>;
using MatVariable = std::unique_ptr<matvar_t, MatCloser>;

/// The last message of matio in this thread.
inline std::string& mat_message() {
  thread_local std::string message;
  return message;
}

/// To be called before anything else of matio.
inline void keep_mat_messages() {
  static std::once_flag once;
  std::call_once(
      once, [] { Mat_LogInitFunc("m3lak", [](int, char* message) { mat_message() = message; }); });
  mat_message() = "no reason given";
}

}  // namespace m3lak
