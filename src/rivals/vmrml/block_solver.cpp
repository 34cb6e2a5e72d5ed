// S is block diagonal but for what joins the views, and that is of low rank in the views:
//   S = blkdiag(P_i) + (U ⊗ I) Q (U ⊗ I)ᵀ,   P_i = l gB m I + l gW L_i,
// U with a column or two, Q a diagonal matrix Q_b for each. With T_i = P_i K_i + l gA I and
// t_b = Σ_k U_kb K_k a_k the equations of view i are
//   T_i a_i + Σ_b U_ib Q_b t_b = c_i y.
// Solve that for a_i, multiply by U_ia K_i and add up over views: with R_i = K_i T_i⁻¹
//   t_a + Σ_b [Σ_i U_ia U_ib R_i] Q_b t_b = Σ_i U_ia c_i R_i y,
// which has n unknowns a column of U. K_i is never inverted: points that coincide do no harm.
#include <vector>

#include "rivals/rival.h"
#include "rivals/vmrml/lu.h"
#include "rivals/vmrml/solvers.h"

namespace m3lak {

namespace {

bool all_equal(const Vector& c) { return c[0] != 0 && (c.array() == c[0]).all(); }

struct Joint {
  Matrix U;  ///< one row a view
  Matrix Q;  ///< the diagonals, one column a column of U
};

/// (U ⊗ I) Q (U ⊗ I)ᵀ = (c cᵀ) ⊗ J - l gB (1 1ᵀ) ⊗ I.
Joint joint(const VmrmlProblem& problem) {
  const Vector& c = problem.c;
  const Vector J = problem.is_labelled();
  const double l_gB = problem.l_gB();
  if (l_gB == 0) return {c, J};
  // 1 1ᵀ = c cᵀ / c_1²
  if (all_equal(c)) return {c, J.array() - l_gB / (c[0] * c[0])};
  Joint two{Matrix::Ones(c.size(), 2), Matrix::Constant(J.size(), 2, -l_gB)};
  two.U.col(0) = c;
  two.Q.col(0) = J;
  return two;
}

/// The system for t.
struct JointSystem {
  explicit JointSystem(Index size)
      : matrix(Matrix::Identity(size, size)), right(Vector::Zero(size)) {}

  Matrix matrix;
  Vector right;
};

/// Adds what view i has to say. R_i is symmetric, so its columns are those of T_i⁻ᵀ K_i, and its
/// product with y needs no more than a few columns at a time.
void add_view(Workers& workers, const VmrmlProblem& problem, const Joint& joint, Index i,
              const LuFactors& T, JointSystem& system, const std::function<bool()>& stop) {
  const Index n = problem.points(), columns = joint.U.cols();
  const Matrix K = problem.kernel(i);
  for_each_block(workers, {n, vmrml_columns_a_block}, [&](const Block& block) {
    stop_if(stop);
    const Matrix R = T.solve_transposed(K.middleCols(block.begin, block.size));
    const Vector R_y = R.transpose() * problem.y;
    for (Index a = 0; a < columns; ++a) {
      system.right.segment(a * n + block.begin, block.size) += joint.U(i, a) * problem.c[i] * R_y;
      for (Index b = 0; b < columns; ++b) {
        const Vector Q =
            joint.U(i, a) * joint.U(i, b) * joint.Q.col(b).segment(block.begin, block.size);
        system.matrix.block(a * n, b * n + block.begin, n, block.size) += R * Q.asDiagonal();
      }
    }
  });
}

}  // namespace

Matrix solve_vmrml_blocks(Workers& workers, const VmrmlProblem& problem,
                          const std::function<bool()>& stop) {
  const Index m = problem.views(), n = problem.points();
  std::vector<Matrix> T(static_cast<std::size_t>(m));
  std::vector<LuFactors> factors;
  for (Matrix& of_view : T) {
    stop_if(stop);
    of_view.resize(n, n);
    view_system(workers, problem, problem.kernel(std::ssize(factors)), of_view);
    factors.emplace_back(workers, of_view, stop);
  }

  const Joint joined = joint(problem);
  JointSystem system(n * joined.U.cols());
  for (Index i = 0; i < m; ++i) {
    stop_if(stop);
    add_view(workers, problem, joined, i, factors[static_cast<std::size_t>(i)], system, stop);
  }
  const Vector stacked = LuFactors(workers, system.matrix, stop).solve(system.right);
  const Matrix t = stacked.reshaped(n, joined.U.cols());

  Matrix a(n, m);
  const Matrix Q_t = joined.Q.cwiseProduct(t);
  workers.run(m, [&](Index i) {
    const Vector right = problem.c[i] * problem.y - Q_t * joined.U.row(i).transpose();
    a.col(i) = factors[static_cast<std::size_t>(i)].solve(right);
  });
  return a;
}

Matrix solve_vmrml(Workers& workers, const VmrmlProblem& problem,
                   const std::function<bool()>& stop) {
  return problem.options.solver == VmrmlOptions::Solver::full
             ? solve_vmrml_full(workers, problem, stop)
             : solve_vmrml_blocks(workers, problem, stop);
}

double vmrml_matrices(const VmrmlOptions& options, Index views) {
  const auto m = static_cast<double>(views);
  if (options.solver == VmrmlOptions::Solver::full) return m * m + 1;
  const Vector& c = options.view_weights;
  const bool is_one_column = options.gB == 0 || c.size() == 0 || all_equal(c);
  return m + 1 + (is_one_column ? 1 : 4);
}

}  // namespace m3lak
