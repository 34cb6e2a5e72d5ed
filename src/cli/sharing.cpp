#include "cli/sharing.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace m3lak::cli {

int threads_of(const World* world, int wanted) {
  if (!world || wanted > 0) return wanted;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  cpu_set_t own;
  const int allowed = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : cores;
  // Those that mpirun has bound this process to, or else its share of all.
  return std::max(1, std::min(allowed, cores / world->on_this_machine()));
}

void take_share(const World* world, DataSource& source) {
  if (!world) return;
  source.rank = world->share().rank;
  source.ranks = world->share().ranks;
}

}  // namespace m3lak::cli
