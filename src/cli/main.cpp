#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/command.h"
#include "cli/print.h"
#include "m3lak/error.h"
#include "m3lak/version.h"

namespace {

enum ExitCode { good = 0, failed = 1, bad_usage = 2, bad_data = 3 };

int run(int argc, char** argv) {
  using namespace m3lak;
  CLI::App program(
      "m3lak: classifies things that are described in several ways at once (views).\n"
      "See 'm3lak COMMAND --help' for the options of a command and an example.",
      "m3lak");
  program.set_version_flag("--version", std::string("m3lak ") + version());
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  cli::add_demo(program);
  cli::add_inspect(program);
  cli::add_convert(program);
  cli::add_simulate(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    cli::say("m3lak: {}", error.what());
    const auto chosen = program.get_subcommands();
    cli::say("'m3lak {}--help' lists what can be said",
             chosen.empty() ? "" : chosen.front()->get_name() + " ");
    return bad_usage;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  using m3lak::cli::say;
  try {
    return run(argc, argv);
  } catch (const m3lak::BadUsage& error) {
    say("m3lak: {}", error.what());
    return bad_usage;
  } catch (const m3lak::BadData& error) {
    say("m3lak: {}", error.what());
    return bad_data;
  } catch (const std::bad_alloc&) {
    say("m3lak: not enough memory");
    return failed;
  } catch (const std::exception& error) {
    say("m3lak: {}", error.what());
    return failed;
  }
}
