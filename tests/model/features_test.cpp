#include "model/features.h"

#include <gtest/gtest.h>

#include "model/plain_features.h"

namespace m3lak {
namespace {

template <class Value>
class Features : public testing::Test {
 protected:
  static constexpr double tolerance = std::is_same_v<Value, double> ? 1e-13 : 1e-5;

  // Sizes that leave something over in every register tile.
  Matrix omega = Matrix::Random(7, 19), beta = 2 * Matrix::Random(39, 3);
  Matrix h = 2 * Matrix::Random(7, lanes<Value>);
  Eigen::MatrixX<Value> narrow = omega.cast<Value>();
  FeatureWeights<Value> weights{beta};
  Waves<Value> at_h;
  Panel<Value> panel;

  void SetUp() override {
    take_columns<Value>(h, 0, panel);
    waves(narrow, panel, at_h);
  }
};

using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Features, Precisions);

TYPED_TEST(Features, OfPanelsAndOfRowsAreThoseOfTheFormula) {
  const Matrix phi = std::sqrt(19.0) * plain_features(this->omega, this->h);
  EXPECT_TRUE(this->at_h.cos.template cast<double>().isApprox(phi.topRows(19), this->tolerance));
  EXPECT_TRUE(
      this->at_h.sin.template cast<double>().isApprox(phi.middleRows(19, 19), this->tolerance));
  WaveRows<TypeParam> rows;
  const RowMatrix<TypeParam> h = this->h.transpose().template cast<TypeParam>();
  waves<TypeParam>(padded<TypeParam>(this->omega), h, rows);
  const Matrix cos = rows.cos.leftCols(19).transpose().template cast<double>();
  const Matrix sin = rows.sin.leftCols(19).transpose().template cast<double>();
  EXPECT_TRUE(cos.isApprox(phi.topRows(19), this->tolerance));
  EXPECT_TRUE(sin.isApprox(phi.middleRows(19, 19), this->tolerance));
}

TYPED_TEST(Features, ScoresAreThoseOfTheFormula) {
  Panel<TypeParam> f;
  scores(this->weights, this->at_h, f);
  EXPECT_TRUE(f.template cast<double>().isApprox(plain_scores(this->omega, this->beta, this->h),
                                                 this->tolerance));
}

TYPED_TEST(Features, SlopesGiveTheGradientsOfFiniteDifferences) {
  const Matrix g = Matrix::Random(3, lanes<TypeParam>);
  Panel<TypeParam> of_classes, slope;
  take_columns<TypeParam>(g, 0, of_classes);
  slopes(this->weights, this->at_h, of_classes, slope);
  const Matrix exact = slope.template cast<double>();
  const auto error = [&](const Matrix& gradient, bool by_omega) {
    double worst = 0;
    for (Index i = 0; i < gradient.size(); ++i) {
      constexpr double e = 1e-5;
      const auto value = [&](double shift) {
        Matrix omega = this->omega, h = this->h;
        (by_omega ? omega : h).reshaped()[i] += shift;
        return g.cwiseProduct(plain_scores(omega, this->beta, h)).sum();
      };
      worst = std::max(worst, std::abs(gradient.reshaped()[i] - (value(e) - value(-e)) / (2 * e)));
    }
    return worst;
  };
  const double tolerance = std::max(1e-8, 10 * this->tolerance);
  EXPECT_LT(error(this->omega * exact, false), tolerance);
  EXPECT_LT(error(this->h * exact.transpose(), true), tolerance);
  // A gradient that is off by a little is seen.
  EXPECT_GT(error(1.001 * this->omega * exact, false), tolerance);
}

}  // namespace
}  // namespace m3lak
