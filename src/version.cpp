#include "m3lak/version.h"

namespace m3lak {

const char* version() { return M3LAK_VERSION; }

}  // namespace m3lak
