// Work in a process of its own: its memory can be measured, it can be ended, and if the system ends
// it, that is all that happens.
#pragma once

#include <functional>
#include <string>

namespace m3lak {

struct ChildResult {
  enum class End { returned, threw, too_long, stopped, killed };
  End end = End::returned;
  std::string text;       ///< what it returned, what() of what it threw, or what killed it
  bool by_force = false;  ///< killed as the system does it that is out of memory (SIGKILL)
  double peak_bytes = 0;  ///< resident at its peak, data included
};

/// Runs `work` in a child of this process, which must have no other threads now. It is ended after
/// `seconds`, or once `stop` (asked every now and then; may be empty) says so. Throws Error if
/// there can be no child.
ChildResult in_child(const std::function<std::string()>& work, double seconds,
                     const std::function<bool()>& stop);

}  // namespace m3lak
