#include "rivals/svm/solver.h"

#include <libsvm/svm.h>
#include <linear.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace m3lak {

namespace {

using LibsvmModel =
    std::unique_ptr<svm_model, decltype([](svm_model* m) { svm_free_and_destroy_model(&m); })>;
using LiblinearModel =
    std::unique_ptr<model, decltype([](model* m) { free_and_destroy_model(&m); })>;

void keep_quiet(const char*) {}

/// LIBSVM says in its log alone how far it came. It gives up after this many steps.
constexpr int most_steps = 10'000'000;
thread_local bool gave_up = false;

void listen(const char* text) {
  int steps = 0;
  if (std::sscanf(text, " optimization finished, #iter = %d", &steps) == 1) {
    gave_up |= steps >= most_steps;
  }
}

svm_parameter libsvm_parameter(int kernel, double gamma, double C) {
  svm_set_print_string_function(listen);
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = kernel;
  parameter.gamma = gamma;
  parameter.C = C;
  parameter.cache_size = libsvm_cache;
  parameter.eps = 1e-3;
  parameter.shrinking = 1;
  return parameter;
}

LibsvmModel libsvm_train(std::vector<svm_node*>& rows, std::vector<double>& labels,
                         const svm_parameter& parameter) {
  svm_problem problem{static_cast<int>(rows.size()), labels.data(), rows.data()};
  return LibsvmModel(svm_train(&problem, &parameter));
}

PairMachines pair_machines(const svm_model& model, std::size_t instances, int all_classes) {
  const int classes = model.nr_class, pairs = classes * (classes - 1) / 2;
  PairMachines machines;
  machines.classes = all_classes;
  machines.label.assign(model.label, model.label + classes);
  machines.thresholds = Eigen::Map<const Vector>(model.rho, pairs);
  machines.coefficients = Matrix::Zero(static_cast<Index>(instances), pairs);
  std::vector<int> first(static_cast<std::size_t>(classes) + 1, 0);
  for (int k = 0; k < classes; ++k) {
    first[static_cast<std::size_t>(k) + 1] = first[static_cast<std::size_t>(k)] + model.nSV[k];
  }
  Index pair = 0;
  for (int i = 0; i < classes; ++i) {
    for (int j = i + 1; j < classes; ++j, ++pair) {
      const auto take = [&](int of, const double* coefficient) {
        for (int s = first[static_cast<std::size_t>(of)];
             s < first[static_cast<std::size_t>(of) + 1]; ++s) {
          machines.coefficients(model.sv_indices[s] - 1, pair) = coefficient[s];
        }
      };
      take(i, model.sv_coef[j - 1]);
      take(j, model.sv_coef[i]);
    }
  }
  return machines;
}

/// Rows as LIBSVM and LIBLINEAR want them: (index, value) …, (-1, 0).
template <class Node>
struct NodeRows {
  explicit NodeRows(const DenseMatrix& rows) : nodes(static_cast<std::size_t>(rows.rows())) {
    for (Index n = 0; n < rows.rows(); ++n) {
      auto& row = nodes[static_cast<std::size_t>(n)];
      for (Index d = 0; d < rows.cols(); ++d) {
        if (rows(n, d) != 0) row.push_back({static_cast<int>(d) + 1, rows(n, d)});
      }
      row.push_back({static_cast<int>(rows.cols()) + 1, 1});  // LIBLINEAR's constant feature
      row.push_back({-1, 0});
      begin.push_back(row.data());
    }
  }
  std::vector<std::vector<Node>> nodes;
  std::vector<Node*> begin;
};

class Radial : public RowMachine {
 public:
  Radial(const DenseMatrix& training, const std::vector<int>& labels, int classes, double gamma,
         double C)
      : rows_(training) {
    std::vector<double> of(labels.begin(), labels.end());
    model_ = libsvm_train(rows_.begin, of, libsvm_parameter(RBF, gamma, C));
    machines_ = pair_machines(*model_, labels.size(), classes);
  }

  Matrix scores(const DenseMatrix& scored) const override {
    NodeRows<svm_node> test(scored);
    Matrix decisions(scored.rows(), machines_.thresholds.size());
    std::vector<double> of_one(
        std::max(std::size_t{1}, static_cast<std::size_t>(decisions.cols())));
    for (Index n = 0; n < scored.rows(); ++n) {
      svm_predict_values(model_.get(), test.begin[static_cast<std::size_t>(n)], of_one.data());
      for (Index p = 0; p < decisions.cols(); ++p) {
        decisions(n, p) = of_one[static_cast<std::size_t>(p)];
      }
    }
    return machines_.vote(decisions);
  }

 private:
  NodeRows<svm_node> rows_;  // which the model refers to
  LibsvmModel model_;
  PairMachines machines_;
};

class Linear : public RowMachine {
 public:
  Linear(const DenseMatrix& training, const std::vector<int>& labels, int classes, double C)
      : classes_(classes) {
    NodeRows<feature_node> rows(training);
    std::vector<double> of(labels.begin(), labels.end());
    problem problem{};
    problem.l = static_cast<int>(rows.begin.size());
    problem.n = static_cast<int>(training.cols()) + 1;
    problem.y = of.data();
    problem.x = rows.begin.data();
    problem.bias = 1;
    parameter parameter{};
    parameter.solver_type = L2R_L1LOSS_SVC_DUAL;
    parameter.C = C;
    parameter.eps = 1e-2;
    set_print_string_function(keep_quiet);
    // It draws from rand(), which all threads share.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::srand(1);
    const LiblinearModel model(train(&problem, &parameter));
    label_.assign(model->label, model->label + model->nr_class);
    // Weights of all classes side by side, or, of two classes, those of the first it met.
    const Index columns = model->nr_class == 2 ? 1 : model->nr_class;
    weights_ = Eigen::Map<const DenseMatrix>(model->w, training.cols() + 1, columns);
  }

  Matrix scores(const DenseMatrix& scored) const override {
    const Index features = scored.cols();
    Matrix decision = scored * weights_.topRows(features);
    decision.rowwise() += weights_.row(features);
    if (classes_ == 2) return label_[0] == 1 ? decision : Matrix(-decision);
    constexpr double never = -1e300;
    Matrix scores = Matrix::Constant(scored.rows(), classes_, never);
    for (Index k = 0; k < decision.cols(); ++k) {
      scores.col(label_[static_cast<std::size_t>(k)]) = decision.col(k);
    }
    if (label_.size() == 2) scores.col(label_[1]) = -decision;
    return scores;
  }

 private:
  int classes_;
  std::vector<int> label_;
  DenseMatrix weights_;
};

}  // namespace

/// A row of LIBSVM's: its number, then its kernel values with all.
struct KernelSvm::Nodes {
  std::vector<svm_node> all;
  std::vector<svm_node*> row;
};

Matrix PairMachines::vote(const Matrix& decisions) const {
  if (classes == 2) {
    if (label.size() == 1) return Matrix::Constant(decisions.rows(), 1, label[0] == 1 ? 1 : -1);
    return label[0] == 1 ? decisions : Matrix(-decisions);
  }
  Matrix votes = Matrix::Constant(decisions.rows(), classes, -1);
  Matrix sums = Matrix::Zero(decisions.rows(), classes);
  for (const int c : label) votes.col(c).setZero();
  Index pair = 0;
  for (std::size_t i = 0; i < label.size(); ++i) {
    for (std::size_t j = i + 1; j < label.size(); ++j, ++pair) {
      const auto decision = decisions.col(pair).array();
      votes.col(label[i]).array() += (decision > 0).cast<double>();
      votes.col(label[j]).array() += (decision <= 0).cast<double>();
      sums.col(label[i]).array() += decision;
      sums.col(label[j]).array() -= decision;
    }
  }
  return votes.array() + sums.array() / (3 * (sums.array().abs() + 1));
}

Matrix PairMachines::scores(const Matrix& kernel) const {
  return vote((kernel * coefficients).rowwise() - thresholds.transpose());
}

KernelSvm::KernelSvm(const std::vector<int>& labels, int classes)
    : labels_(labels), classes_(classes), nodes_(std::make_unique<Nodes>()) {
  const std::size_t count = labels.size();
  nodes_->all.resize(count * (count + 1));
  for (std::size_t i = 0; i < count; ++i) {
    nodes_->row.push_back(&nodes_->all[i * (count + 1)]);
    nodes_->row[i][0] = {0, static_cast<double>(i + 1)};
  }
}

KernelSvm::~KernelSvm() = default;

void KernelSvm::set_kernel(const Matrix& kernel) {
  const std::size_t count = nodes_->row.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      nodes_->row[i][j + 1] = {static_cast<int>(j) + 1,
                               kernel(static_cast<Index>(j), static_cast<Index>(i))};
    }
  }
}

PairMachines KernelSvm::train(const std::vector<Index>& part, double C) const {
  std::vector<svm_node*> rows;
  std::vector<double> labels;
  for (const Index n : part) {
    rows.push_back(nodes_->row[static_cast<std::size_t>(n)]);
    labels.push_back(labels_[static_cast<std::size_t>(n)]);
  }
  gave_up = false;
  const LibsvmModel model = libsvm_train(rows, labels, libsvm_parameter(PRECOMPUTED, 0, C));
  PairMachines machines = pair_machines(*model, part.size(), classes_);
  machines.converged = !gave_up;
  return machines;
}

std::unique_ptr<RowMachine> radial_machine(const DenseMatrix& training,
                                           const std::vector<int>& labels, int classes,
                                           double gamma, double C) {
  return std::make_unique<Radial>(training, labels, classes, gamma, C);
}

std::unique_ptr<RowMachine> linear_machine(const DenseMatrix& training,
                                           const std::vector<int>& labels, int classes, double C) {
  return std::make_unique<Linear>(training, labels, classes, C);
}

}  // namespace m3lak
