// In place of mpi.cpp, in builds without MPI.
#include <cstdlib>

#include "cluster/mpi.h"
#include "m3lak/error.h"

namespace m3lak {

std::unique_ptr<World> start_mpi(int&, char**&) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* processes = std::getenv(name);
    if (processes && std::atoi(processes) > 1) {
      throw BadUsage(
          "this m3lak was built without MPI: several processes would each do the same. Install "
          "Open MPI (libopenmpi-dev) and build it anew with M3LAK_MPI=ON");
    }
  }
  return nullptr;
}

}  // namespace m3lak
