// Processes that were started together by mpirun or a batch system.
#pragma once

#include <memory>

#include "numeric/cluster.h"

namespace m3lak {

/// One of the processes of MPI; ends MPI when it is gone.
class World : public Cluster {
 public:
  /// How many of the processes are on this machine.
  virtual int on_this_machine() const = 0;

  /// Ends all processes at once.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// None if this process was not started by MPI: then it is alone, and MPI is not touched. Throws
/// BadUsage if it is one of several and the program was built without MPI.
std::unique_ptr<World> start_mpi(int& argc, char**& argv);

}  // namespace m3lak
