#include "cli/settings_options.h"

#include <fmt/format.h>

namespace m3lak::cli {

namespace {

std::string description_of(const Parameter& parameter) {
  const std::string symbol = parameter.symbol.empty() ? "" : parameter.symbol + ": ";
  return fmt::format("{}{} (default: {})", symbol, parameter.help, get(Options{}, parameter.name));
}

}  // namespace

void SettingsOptions::add_to(CLI::App& command) {
  const std::string group = "Settings";
  command
      .add_option("--preset", preset_,
                  "What the settings below are if they are not given; the defaults they name are "
                  "those of the preset 'default'")
      ->type_name("default|paper")
      ->group(group);
  for (const Parameter& parameter : parameters()) {
    const auto keep = [this, name = parameter.name](const std::string& text) {
      given_[name] = text;
    };
    command
        .add_option_function<std::string>("--" + parameter.name, keep, description_of(parameter))
        ->type_name(parameter.values)
        ->group(group);
  }
}

Options SettingsOptions::options() const {
  Options options = Options::preset(preset_);
  for (const auto& [name, value] : given_) set(options, name, value);
  options.check();
  return options;
}

}  // namespace m3lak::cli
