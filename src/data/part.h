// What one process has of data that several share out among themselves.
#pragma once

#include "m3lak/dataset.h"
#include "numeric/cluster.h"

namespace m3lak {

/// Where the instances at hand are among those of all processes.
struct Part {
  Index first = 0;
  Index total = 0;
  Cluster* cluster = nullptr;  ///< none: this process is alone, and has all of them

  bool is_first_process() const { return !cluster || cluster->is_first(); }
};

/// All of it: there is one process.
inline Part whole(const Dataset& data) { return {0, data.instances()}; }

/// The labels of all processes' instances, in order, for each of them.
M3LAK_API Labels all_labels(Cluster& cluster, const Labels& own);

/// The instances that each process gives, in the order of the processes, for each of them.
M3LAK_API Dataset gathered(Cluster& cluster, Dataset own);

}  // namespace m3lak
