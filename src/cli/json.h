// JSON for machines.
#pragma once

#include <nlohmann/json.hpp>

namespace m3lak::cli {

/// Members keep the order in which they were added.
using Json = nlohmann::ordered_json;

/// To standard output. NaN becomes null; bytes that are not UTF-8 become U+FFFD.
void print_json(const Json& json);

}  // namespace m3lak::cli
