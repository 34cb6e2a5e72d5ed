// What is in a data set, as a table for people and as JSON for machines.
#pragma once

#include <string>

#include "cli/json.h"
#include "m3lak/dataset.h"

namespace m3lak::cli {

Json summary_json(const Dataset& data);
std::string summary_text(const Json& summary);

}  // namespace m3lak::cli
