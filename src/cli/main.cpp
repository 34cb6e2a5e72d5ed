#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cli/command.h"
#include "cli/print.h"
#include "m3lak/error.h"
#include "m3lak/version.h"

namespace {

enum ExitCode { good = 0, failed = 1, bad_usage = 2, bad_data = 3 };

/// How many letters have to be changed, added or left out to make one word of the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Throws BadUsage if the first word is not one of the commands, and says what may have been meant.
void check_command(const CLI::App& program, const std::string& word) {
  std::string hint;
  for (const CLI::App* command : program.get_subcommands({})) {
    if (command->get_name() == word) return;
    if (distance(command->get_name(), word) <= 2) {
      hint = fmt::format("did you mean '{}'? ", command->get_name());
    }
  }
  throw m3lak::BadUsage(
      fmt::format("there is no command '{}'; {}'m3lak --help' lists them", word, hint));
}

/// Whether several processes share the work of a command. The first one does all others alone.
bool is_shared(const std::string& command) {
  return command == "train" || command == "predict" || command == "evaluate";
}

int run(int argc, char** argv, m3lak::World* world) {
  using namespace m3lak;
  if (world && !world->is_first() && !(argc > 1 && is_shared(argv[1]))) return good;
  CLI::App program(
      "m3lak: classifies things that are described in several ways at once (views).\n"
      "See 'm3lak COMMAND --help' for the options of a command and an example.",
      "m3lak");
  program.set_version_flag("--version", std::string("m3lak ") + version());
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  cli::add_demo(program);
  cli::add_train(program, world);
  cli::add_predict(program, world);
  cli::add_evaluate(program, world);
  cli::add_compare(program);
  cli::add_scale(program);
  cli::add_sweep(program);
  cli::add_inspect(program);
  cli::add_convert(program);
  cli::add_simulate(program);
  if (argc > 1 && argv[1][0] != '-') check_command(program, argv[1]);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return world && !world->is_first() ? good : program.exit(request);
  } catch (const CLI::ParseError& error) {
    if (world && !world->is_first()) return bad_usage;
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
  // Iterations need the same memory again and again: keep it, instead of giving it back to the
  // system each time and getting it zeroed anew, which took a quarter of the time.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::unique_ptr<m3lak::World> world;
  const auto fail = [&](int status, const char* what) {
    if (world && !world->is_first()) {
      // Most likely the first one says the same, and ends all.
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    m3lak::cli::say("m3lak: {}", what);
    if (world && world->share().ranks > 1) world->abort(status);
    return status;
  };
  try {
    world = m3lak::start_mpi(argc, argv);
    return run(argc, argv, world.get());
  } catch (const m3lak::cli::Exit& exit) {
    return exit.status;
  } catch (const m3lak::BadUsage& error) {
    return fail(bad_usage, error.what());
  } catch (const m3lak::BadData& error) {
    return fail(bad_data, error.what());
  } catch (const std::bad_alloc&) {
    return fail(failed, "not enough memory");
  } catch (const std::exception& error) {
    return fail(failed, error.what());
  }
}
