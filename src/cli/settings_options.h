// The settings of the model as options of a command, made from the library's table of them.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "m3lak/options.h"

namespace m3lak::cli {

class SettingsOptions {
 public:
  /// The object must live as long as the command.
  void add_to(CLI::App& command);

  /// The preset, changed by what was given. Throws BadUsage if a setting breaks its rule.
  Options options() const;

 private:
  std::string preset_ = "default";
  std::map<std::string, std::string> given_;
};

}  // namespace m3lak::cli
