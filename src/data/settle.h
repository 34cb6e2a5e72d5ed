// Checks of data of which this process has a part.
#pragma once

#include "m3lak/dataset.h"

namespace m3lak {

/// What Dataset::settle does; but there may be no instances, and all may lack a view: others may
/// have it. `first` is the place of the first instance among all, for messages.
void settle_share(Dataset& data, Index first);

}  // namespace m3lak
