// Support vector machines by LIBSVM and LIBLINEAR.
#pragma once

#include <memory>
#include <vector>

#include "m3lak/model.h"

namespace m3lak {

/// Machines of all pairs of classes. Scores are one column, large for the second of two classes, or
/// one column a class: the votes of all pairs, and of equal votes the larger sum of decision
/// values.
struct PairMachines {
  int classes = 2;
  std::vector<int> label;  ///< of the classes that were there
  Matrix coefficients;     ///< one row a training instance, one column a pair
  Vector thresholds;       ///< of each pair
  bool converged = true;   ///< all of them, or LIBSVM gave up

  /// From decision values, one column a pair.
  Matrix vote(const Matrix& decisions) const;

  /// From kernel values, one row an instance, one column a training instance.
  Matrix scores(const Matrix& kernel) const;
};

/// Trains on parts of a set whose kernel values are given (LIBSVM).
class KernelSvm {
 public:
  KernelSvm(const std::vector<int>& labels, int classes);
  ~KernelSvm();

  /// From now on with this kernel of all instances.
  void set_kernel(const Matrix& kernel);

  PairMachines train(const std::vector<Index>& part, double C) const;

 private:
  struct Nodes;
  std::vector<int> labels_;
  int classes_;
  std::unique_ptr<Nodes> nodes_;
};

/// MB, at most, in which LIBSVM keeps values of the kernel.
inline constexpr double libsvm_cache = 2000;

/// Trained on rows.
class RowMachine {
 public:
  virtual ~RowMachine() = default;
  virtual Matrix scores(const DenseMatrix& rows) const = 0;
};

/// With the radial kernel, from the rows themselves: slower, but needs no kernel matrix (LIBSVM).
std::unique_ptr<RowMachine> radial_machine(const DenseMatrix& training,
                                           const std::vector<int>& labels, int classes,
                                           double gamma, double C);

/// Linear, with many instances (LIBLINEAR).
std::unique_ptr<RowMachine> linear_machine(const DenseMatrix& training,
                                           const std::vector<int>& labels, int classes, double C);

}  // namespace m3lak
