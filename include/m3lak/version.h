#pragma once

#include "m3lak/export.h"

namespace m3lak {

/// "major.minor.patch"
M3LAK_API const char* version();

}  // namespace m3lak
