// How the processes of MPI share a command's work.
#pragma once

#include "cluster/mpi.h"
#include "m3lak/io.h"

namespace m3lak::cli {

/// Threads of this process: as many as were asked for, or (0) its share of the machine's cores.
int threads_of(const World* world, int wanted);

/// The source is read by share.
void take_share(const World* world, DataSource& source);

}  // namespace m3lak::cli
