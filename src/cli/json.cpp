#include "cli/json.h"

#include "cli/print.h"

namespace m3lak::cli {

void print_json(const Json& json) {
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace m3lak::cli
