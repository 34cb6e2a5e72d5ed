// What is in a model and whether it is to be trusted, for people and for machines.
#pragma once

#include <string>
#include <vector>

#include "cli/json.h"
#include "m3lak/model.h"

namespace m3lak::cli {

/// All settings by their names.
Json settings_json(const Options& options);

/// Everything that is worth knowing, the checks included.
Json model_json(const Model& model);

/// Settings that differ from the default, views and classes.
std::string contents_text(const Model& model);

/// How the sampling went: draws, acceptance, mixture components, training accuracy, C.
std::string sampling_text(const Model& model);

/// Of each check the verdict, the value, what it means and what to do. `only_failed`: passed ones
/// are not told one by one.
std::string checks_text(const std::vector<Check>& checks, bool only_failed);

/// Whether all checks passed.
bool is_trusted(const std::vector<Check>& checks);

}  // namespace m3lak::cli
