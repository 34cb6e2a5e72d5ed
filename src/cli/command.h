// The commands of the program. Each adds itself to the program and is thin: parse, call the
// library, print. Numbers go to standard output, talk to standard error.
#pragma once

#include <CLI/CLI.hpp>

#include "cluster/mpi.h"

namespace m3lak::cli {

/// Thrown by a command that has said all there is to say, to end the program with this status.
struct Exit {
  int status;
};

/// `world`: the processes that share the work, if there are several. The first one talks.
void add_train(CLI::App& program, World* world);
void add_predict(CLI::App& program, World* world);
void add_evaluate(CLI::App& program, World* world);

void add_compare(CLI::App& program);
void add_scale(CLI::App& program);
void add_sweep(CLI::App& program);
void add_inspect(CLI::App& program);
void add_convert(CLI::App& program);
void add_simulate(CLI::App& program);
void add_demo(CLI::App& program);

}  // namespace m3lak::cli
