// What is in a data set, as a table for people and as JSON for machines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "m3lak/dataset.h"

namespace m3lak::cli {

nlohmann::ordered_json summary_json(const Dataset& data);
std::string summary_text(const nlohmann::ordered_json& summary);

}  // namespace m3lak::cli
