// A tiny world in which the posterior can be drawn from exactly: variables from their priors, kept
// with probability Π ℓ(y_n | …) <= 1 since y is fixed, then X given them. A chain that starts there
// must stay in that distribution, however often it moves and X is drawn anew (Geweke 2004; the
// replicates are independent, so differences are tested without autocorrelation).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "inference/chain.h"
#include "model/augmentation.h"
#include "model/plain_features.h"
#include "numeric/distributions.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

/// Priors whose moments exist; everything sampled that can be.
inline Options exact_options() {
  Options options;
  options.latent = 2;
  options.private_latent = 1;
  options.features = 2;
  options.C = 0.8;
  options.label_weight = 1;
  options.weight_precision = 0.25;
  options.linear_variance = 0.5;
  options.sample_weight_precision = true;
  options.weight_shape = 6;
  options.weight_rate = 24;
  options.relevance_shape = 5;
  options.relevance_rate = 4;
  options.private_precision = 1.5;
  options.noise_shape = 5;
  options.noise_rate = 3;
  options.sample_concentration = true;
  options.concentration_shape = 3;
  options.concentration_rate = 2;
  options.base = Base::isotropic;
  options.base_mean = 0.5;
  options.base_strength = 1.5;
  options.base_dof = 9;
  options.base_scale = 10;
  options.iterations = 1;
  options.burn_in = 0;
  options.threads = 1;
  return options;
}

/// Four instances, two views: one dense with a missing cell, one sparse with an offset that one
/// instance lacks. One row of labels, or of three classes, the last instance without any; 0
/// classes: no instance has a label.
inline Problem exact_problem(Index classes) {
  Dataset data;
  data.views.resize(2);
  data.views[0].name = "dense";
  DenseMatrix dense = DenseMatrix::Ones(4, 2);
  dense(2, 1) = std::nan("");
  data.views[0].values = dense;
  data.views[1].name = "sparse";
  data.views[1].values = SparseMatrix(DenseMatrix::Ones(4, 3).sparseView());
  data.views[1].offset = Vector::LinSpaced(3, 0.5, 1.5);
  data.views[1].absent = {0, 1, 0, 0};
  for (SparseMatrix::InnerIterator cell(std::get<SparseMatrix>(data.views[1].values), 1); cell;
       ++cell) {
    cell.valueRef() = 0;
  }
  Labels labels;
  labels.classes =
      classes == 3 ? std::vector<std::string>{"a", "b", "c"} : std::vector<std::string>{"-", "+"};
  labels.of = {0, 1, classes == 3 ? 2 : 1, Labels::unknown};
  if (classes == 0) labels.of.assign(4, Labels::unknown);
  data.labels = labels;
  Problem problem = prepare(std::move(data));
  // The law of the labels is given coordinates, whatever they are.
  problem.coordinates =
      (DenseMatrix(4, 2) << 0.15, 0.1, -0.1, 0.15, 0.15, -0.2, -0.15, 0.05).finished();
  return problem;
}

class ExactWorld {
 public:
  ExactWorld(const Options& truth, Index classes)
      : truth_(truth), problem_(exact_problem(classes)) {}

  const Problem& problem() const { return problem_; }

  /// A draw of everything, X included.
  void draw(Stream& stream, State& state) {
    do {
      draw_prior(stream, state);
    } while (stream.uniform() >= std::exp(-2 * truth_.C * loss(state)));
    const Matrix f = all_scores(problem_, state);
    for (Index n = 0; n < f.cols(); ++n) {
      for (Index c = 0; c < f.rows(); ++c) {
        state.inverse_lambda(c, n) =
            draw_inverse_lambda(stream, truth_.C, problem_.y(c, n), f(c, n));
      }
    }
    draw_data(stream, state);
  }

  /// X given everything else; missing cells are part of the state.
  void draw_data(Stream& stream, State& state) {
    for (std::size_t i = 0; i < problem_.views.size(); ++i) {
      View& view = problem_.views[i];
      const ViewState& of = state.views[i];
      for (Index n = 0; n < problem_.instances(); ++n) {
        if (!view.has(n)) continue;
        Vector z(state.H.rows() + state.U[i].rows());
        z << state.H.col(n), state.U[i].col(n);
        Vector x = of.projection * z;
        for (double& value : x) value += normal(stream) / std::sqrt(of.noise);
        put(view, state.fill[i], n, x);
      }
      problem_.squared_norms[i] = known_squares(view);
    }
  }

  /// Functions of the state whose expectations are compared.
  static std::map<std::string, double> features(const Problem& problem, const State& state) {
    std::map<std::string, double> g;
    const auto all = [&](const std::string& name, const auto& values) {
      double sum = 0, squares = 0;
      for (Index i = 0; i < values.size(); ++i) {
        sum += values.reshaped()[i];
        squares += values.reshaped()[i] * values.reshaped()[i];
      }
      g[name] = sum;
      g[name + "²"] = squares;
    };
    all("h", state.H);
    // Instances of one class are drawn together, those of two apart.
    double alignment = 0;
    for (Index a = 0; a < state.H.cols(); ++a) {
      for (Index b = 0; b < a; ++b) {
        alignment += problem.y.col(a).dot(problem.y.col(b)) *
                     std::exp(-0.5 * (state.H.col(a) - state.H.col(b)).squaredNorm());
      }
    }
    const bool labelled = problem.y.squaredNorm() > 0;
    if (labelled) g["alignment"] = alignment;
    for (std::size_t i = 0; i < state.views.size(); ++i) {
      const std::string view = std::to_string(i);
      const Index m = state.H.rows();
      all("u" + view, state.U[i]);
      all("W" + view, Matrix(state.views[i].projection.leftCols(m)));
      all("V" + view, Matrix(state.views[i].projection.rightCols(1)));
      all("r" + view, state.views[i].relevance);
      g["tau" + view] = state.views[i].noise;
      g["log tau" + view] = std::log(state.views[i].noise);
      g["r‖w‖²" + view] = state.views[i].relevance[0] * state.views[i].gram(0, 0);
    }
    for (const SparseMatrix& fill : state.fill) {
      if (fill.nonZeros() > 0) all("fill", Vector(fill.coeffs().matrix()));
    }
    all("omega", state.omega);
    g["omega h"] = (state.omega.transpose() * state.H).squaredNorm();
    all("beta", state.beta);
    all("gamma", state.gamma);
    g["v"] = state.weight_precision;
    g["v‖β‖²"] = state.weight_precision * state.beta.squaredNorm();
    g["alpha"] = state.mixture.concentration;
    g["components"] = static_cast<double>(state.mixture.components.size());
    g["rest"] = std::exp(state.mixture.log_rest);
    const Component& component = state.mixture.component_of(0);
    g["mu"] = component.mean[0];
    g["mu²"] = component.mean.squaredNorm();
    g["log|Sigma|"] = component.factor.diagonal().array().log().sum();
    const Matrix f = all_scores(problem, state);
    if (labelled) g["y f"] = f.cwiseProduct(problem.y).sum();
    g["f²"] = f.squaredNorm();
    return g;
  }

 private:
  static void put(View& view, SparseMatrix& fill, Index n, const Vector& x) {
    for (Index d = 0; d < x.size(); ++d) {
      bool missing = false;
      for (SparseMatrix::InnerIterator cell(fill, n); cell; ++cell) {
        if (cell.col() != d) continue;
        cell.valueRef() = x[d];
        missing = true;
      }
      if (missing) continue;
      if (view.is_sparse()) {
        std::get<SparseMatrix>(view.values).coeffRef(n, d) = x[d] + view.offset[d];
      } else {
        std::get<DenseMatrix>(view.values)(n, d) = x[d];
      }
    }
  }

  static double known_squares(const View& view) {
    double sum = 0;
    for (Index n = 0; n < view.instances(); ++n) {
      if (!view.has(n)) continue;
      for (Index d = 0; d < view.features(); ++d) {
        const double x =
            view.is_sparse() ? view.sparse().coeff(n, d) - view.offset[d] : view.dense()(n, d);
        sum += x * x;
      }
    }
    return sum;
  }

  static Matrix normals(Stream& stream, Index rows, Index columns) {
    Matrix result(rows, columns);
    for (double& value : result.reshaped()) value = normal(stream);
    return result;
  }

  static Matrix all_scores(const Problem& problem, const State& state) {
    return plain_scores(state.omega, state.beta, state.H) +
           (problem.coordinates * state.gamma).transpose();
  }

  double loss(const State& state) const {
    return plain_loss(problem_.y, all_scores(problem_, state));
  }

  void draw_prior(Stream& stream, State& state) {
    const Index N = problem_.instances(), m = truth_.latent, K = truth_.private_latent;
    const Index M = truth_.features;
    state.H = normals(stream, m, N);
    for (std::size_t i = 0; i < problem_.views.size(); ++i) {
      const View& data = problem_.views[i];
      state.U[i] = normals(stream, K, N);
      for (Index n = 0; n < N; ++n) {
        if (!data.has(n)) state.U[i].col(n).setZero();
      }
      ViewState& view = state.views[i];
      const Index D = data.features();
      view.projection.resize(D, m + K);
      for (Index j = 0; j < m; ++j) {
        view.relevance[j] = gamma(stream, truth_.relevance_shape, truth_.relevance_rate);
        view.projection.col(j) = normals(stream, D, 1) / std::sqrt(view.relevance[j]);
      }
      view.projection.rightCols(K) = normals(stream, D, K) / std::sqrt(truth_.private_precision);
      view.gram = view.projection.transpose() * view.projection;
      view.noise = gamma(stream, truth_.noise_shape, truth_.noise_rate);
    }
    if (truth_.sample_weight_precision) {
      state.weight_precision = gamma(stream, truth_.weight_shape, truth_.weight_rate);
    }
    state.beta = normals(stream, 2 * M + 1, problem_.y.rows()) / std::sqrt(state.weight_precision);
    state.gamma = normals(stream, problem_.coordinates.cols(), problem_.y.rows()) *
                  std::sqrt(truth_.linear_variance / state.weight_precision);
    state.linear = (problem_.coordinates * state.gamma).transpose();
    draw_mixture_prior(stream, state);
  }

  /// Pólya's urn, components from the base, weights given the partition.
  void draw_mixture_prior(Stream& stream, State& state) {
    const Index m = truth_.latent, M = truth_.features;
    const NormalInverseWishart base{Vector::Constant(m, truth_.base_mean), truth_.base_strength,
                                    truth_.base_scale * Matrix::Identity(m, m), truth_.base_dof};
    Mixture& mixture = state.mixture;
    mixture.components.clear();
    mixture.of.clear();
    mixture.concentration = truth_.sample_concentration ? gamma(stream, truth_.concentration_shape,
                                                                truth_.concentration_rate)
                                                        : truth_.concentration;
    std::vector<double> counts;
    state.omega.resize(m, M);
    for (Index j = 0; j < M; ++j) {
      std::vector<double> logs;
      for (const double count : counts) logs.push_back(std::log(count));
      logs.push_back(std::log(mixture.concentration));
      const std::size_t k = categorical(stream, logs);
      if (k == counts.size()) {
        counts.push_back(0);
        // Σ^{-1} ~ Wishart(ν, Ψ^{-1}), the long way round.
        const Matrix inverse = base.scale.inverse();
        const Matrix C = wishart(stream, base.dof, Matrix(inverse.llt().matrixL()));
        const Matrix sigma = (C.triangularView<Eigen::Lower>() * Matrix(C.transpose())).inverse();
        Component component;
        component.factor = sigma.llt().matrixL();
        component.mean =
            base.mean + component.factor * normals(stream, m, 1) / std::sqrt(base.strength);
        mixture.components.push_back(component);
      }
      counts[k] += 1;
      mixture.of.push_back(static_cast<int>(k));
      state.omega.col(j) =
          mixture.components[k].mean + mixture.components[k].factor * normals(stream, m, 1);
    }
    Vector shapes(std::ssize(counts) + 1);
    for (std::size_t k = 0; k < counts.size(); ++k) shapes[static_cast<Index>(k)] = counts[k];
    shapes[shapes.size() - 1] = mixture.concentration;
    const Vector logs = log_dirichlet(stream, shapes);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      mixture.components[k].log_weight = logs[static_cast<Index>(k)];
    }
    mixture.log_rest = logs[shapes.size() - 1];
  }

  Options truth_;
  Problem problem_;
};

}  // namespace m3lak
