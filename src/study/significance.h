// Is one method better than another, or was it luck? Paired tests of their differences.
#pragma once

#include <vector>

namespace m3lak {

/// Wilcoxon's signed-rank test: the two-sided p-value of differences that are symmetric about 0.
/// Zeros are left out, ties share their ranks; exact up to 25 differences without ties, else by the
/// normal approximation with its corrections. 1 if nothing is left.
double wilcoxon(std::vector<double> differences);

/// The corrected resampled t-test of Nadeau and Bengio (2003): folds of one set share most of their
/// training data, so that the variance of their mean is larger than a share of that of one, by
/// test_share = (instances tested) / (instances trained on). Two-sided; 1 if all are 0.
double resampled_t(const std::vector<double>& differences, double test_share);

/// P(|T| > |t|) of Student's t.
double student_tails(double t, double degrees_of_freedom);

}  // namespace m3lak
