// An option whose value is one of a few words.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "m3lak/error.h"

namespace m3lak::cli {

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// `target` must live as long as the command.
template <class Target, class Value>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Target& target,
                        Choices<Value> choices, const std::string& description) {
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
  const auto choose = [&target, choices = std::move(choices), words,
                       name](const std::string& text) {
    for (const auto& [word, value] : choices) {
      if (word == text) {
        target = value;
        return;
      }
    }
    throw BadUsage(fmt::format("{} {}: must be one of {}", name, text, words));
  };
  return command.add_option_function<std::string>(name, choose, description)->type_name(words);
}

}  // namespace m3lak::cli
