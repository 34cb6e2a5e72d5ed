// The one table of settings: the program's options, the checks, the model file and docs/settings.md
// are all made from it.
#pragma once

#include "m3lak/options.h"

namespace m3lak {

/// Each field by its own limits. Throws BadUsage.
void check_fields(const Options& options);

}  // namespace m3lak
