// What a fitted model tells about itself.
#include "m3lak/model.h"

#include <gtest/gtest.h>

#include "m3lak/simulate.h"
#include "predict/model_parts.h"

namespace m3lak {
namespace {

class FittedModel : public testing::Test {
 protected:
  static Dataset data() {
    SimulationOptions simulation;
    simulation.instances = 80;
    simulation.views = {5, 6};
    simulation.latent = 3;
    return simulate(simulation);
  }

  static Options options() {
    Options options;
    options.latent = 3;
    options.features = 10;
    options.iterations = 40;
    options.burn_in = 20;
    options.chains = 2;
    options.scaling = Scaling::standardize;
    options.calibrate = false;
    return options;
  }

  const Dataset data_ = data();
  const Model model_ = fit(data_, options());
};

TEST_F(FittedModel, GoesThroughBytes) {
  const Model again = Model::from_bytes(model_.bytes());
  EXPECT_EQ(again.bytes(), model_.bytes());
  EXPECT_EQ(again.predict(data_).probability, model_.predict(data_).probability);
}

TEST_F(FittedModel, TurnsDrawsIntoOneOrientation) {
  const std::vector<Matrix> turns = model_.turns();
  ASSERT_EQ(turns.size(), model_.draws().size());
  EXPECT_TRUE(turns.back().isApprox(Matrix::Identity(3, 3), 1e-9));
  const auto projection = [&](const Draw& draw) { return draw.views[0].projection.leftCols(3); };
  double plain = 0, turned = 0;
  for (std::size_t d = 0; d < turns.size(); ++d) {
    EXPECT_TRUE((turns[d] * turns[d].transpose()).isApprox(Matrix::Identity(3, 3), 1e-9));
    const auto last = projection(model_.draws().back());
    plain += (projection(model_.draws()[d]) - last).squaredNorm();
    turned += (projection(model_.draws()[d]) * turns[d].transpose() - last).squaredNorm();
  }
  EXPECT_LT(turned, plain);
}

TEST_F(FittedModel, HasTheLinearPartOfScores) {
  const std::vector<Matrix> weights = model_.linear_weights();
  ASSERT_EQ(weights.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    Matrix mean = Matrix::Zero(weights[i].rows(), 1);
    for (const Draw& draw : model_.draws()) {
      mean += model_.parts().directions[i] * draw.linear_weights;
    }
    EXPECT_TRUE(weights[i].isApprox(mean / static_cast<double>(model_.draws().size()), 1e-12));
    EXPECT_GT(weights[i].norm(), 0);
  }
  Options without = options();
  without.linear = 0;
  for (const Matrix& none : fit(data_, without).linear_weights()) EXPECT_EQ(none.norm(), 0);
}

TEST_F(FittedModel, KnowsLessOfLatentsWithoutAView) {
  EXPECT_EQ(model_.predict(data_).latent_spread.size(), 0);
  const Prediction whole = model_.predict(data_, 0, Extra::latent_spread);
  Dataset part = data_;
  part.views.pop_back();
  const Prediction half = model_.predict(part, 0, Extra::latent_spread);
  ASSERT_EQ(whole.latent_spread.rows(), 80);
  ASSERT_EQ(whole.latent_spread.cols(), 3);
  EXPECT_GT(half.latent_spread.squaredNorm(), whole.latent_spread.squaredNorm());
  EXPECT_GT(whole.latent_spread.minCoeff(), 0);
  EXPECT_EQ(whole.latent, model_.predict(data_).latent);
}

TEST_F(FittedModel, SpreadsOfProbabilitiesFollowThoseOfScores) {
  const Prediction found = model_.predict(data_);
  for (Index n = 0; n < 80; ++n) {
    const double p = found.probability(n, 1);
    // Uncalibrated, p is the logistic of the score.
    EXPECT_NEAR(found.probability_spread(n, 1), p * (1 - p) * found.spread(n, 0), 1e-12);
  }
}

}  // namespace
}  // namespace m3lak
