#include "rivals/vmrml/lu.h"
#include "rivals/vmrml/solvers.h"

namespace m3lak {

// Block (i, k) of S G + l gA I is [i = k] T_k + (c_i c_k J - l gB I) K_k: view k fills its column.
Matrix solve_vmrml_full(Workers& workers, const VmrmlProblem& problem,
                        const std::function<bool()>& stop) {
  const Index m = problem.views(), n = problem.points();
  const Vector& c = problem.c;
  const Vector J = problem.is_labelled();
  Matrix system(m * n, m * n);
  for (Index k = 0; k < m; ++k) {
    stop_if(stop);
    const Matrix K = problem.kernel(k);
    auto column = system.middleCols(k * n, n);
    view_system(workers, problem, K, column.middleRows(k * n, n));
    for_each_block(workers, {n, vmrml_columns_a_block}, [&](const Block& block) {
      for (Index i = 0; i < m; ++i) {
        const Vector joint = c[i] * c[k] * J.array() - problem.l_gB();
        auto part = column.block(i * n, block.begin, n, block.size);
        const auto of_K = K.middleCols(block.begin, block.size);
        if (i == k) {
          part += joint.asDiagonal() * of_K;
        } else {
          part = joint.asDiagonal() * of_K;
        }
      }
    });
  }
  Matrix a(n, m);
  for (Index i = 0; i < m; ++i) a.col(i) = c[i] * problem.y;
  const Vector stacked = LuFactors(workers, system, stop).solve(a.reshaped());
  a.reshaped() = stacked;
  return a;
}

}  // namespace m3lak
