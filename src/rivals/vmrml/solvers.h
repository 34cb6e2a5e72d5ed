// Two ways to the same solution of VMRML's equations (see problem.h).
#pragma once

#include <functional>

#include "m3lak/model.h"
#include "numeric/parallel.h"
#include "rivals/vmrml/problem.h"

namespace m3lak {

/// The coefficients a_i, one column a view, by the solver that the options name. The same for any
/// number of workers. Throws Stopped if `stop` (which may be empty) says so.
Matrix solve_vmrml(Workers& workers, const VmrmlProblem& problem,
                   const std::function<bool()>& stop);

/// All of S G + l gA I at once.
Matrix solve_vmrml_full(Workers& workers, const VmrmlProblem& problem,
                        const std::function<bool()>& stop);

/// View by view, and what joins them.
Matrix solve_vmrml_blocks(Workers& workers, const VmrmlProblem& problem,
                          const std::function<bool()>& stop);

/// How many n × n matrices that takes at once, at most: all that the solver makes, one kernel
/// included.
double vmrml_matrices(const VmrmlOptions& options, Index views);

}  // namespace m3lak
