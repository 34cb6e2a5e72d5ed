#include <gtest/gtest.h>

#include <cmath>

#include "m3lak/model.h"
#include "numeric/distributions.h"
#include "predict/model_parts.h"

namespace m3lak {
namespace {

/// A model whose chains could not be better: independent draws, all of one law.
Model::Parts healthy(int chains = 2, int kept = 200) {
  Model::Parts parts;
  parts.options.chains = chains;
  parts.options.burn_in = 100;
  parts.options.iterations = 100 + kept;
  parts.scaler = Scaler(Scaling::none, {{"left", {}, {}}, {"right", {}, {}}});
  parts.draws.resize(static_cast<std::size_t>(chains * kept));
  for (int chain = 0; chain < chains; ++chain) {
    Stream stream({.chain = static_cast<std::uint32_t>(chain)});
    for (int i = 1; i <= parts.options.iterations; ++i) {
      TraceRow row;
      row.chain = chain;
      row.iteration = i;
      row.kept = i > parts.options.burn_in;
      // Rows of burn-in are far off: they must not count.
      const double off = row.kept ? 0 : 1e6;
      row.log_joint = normal(stream) + off;
      row.weight_norm = normal(stream) + off;
      row.kernel_scale = normal(stream) + off;
      row.noise = Vector::Constant(2, 3.0);
      row.noise[1] += normal(stream);
      row.probes = Vector::Constant(3, off);
      for (double& score : row.probes) score += normal(stream);
      row.latent_acceptance = row.kept ? 0.8 : 0;
      row.frequency_acceptance = row.kept ? 0.99 : 0;
      parts.trace.push_back(row);
    }
  }
  return parts;
}

Check check_of(const Model::Parts& parts, const std::string& name) {
  for (const Check& check : Model(std::make_shared<const Model::Parts>(parts)).checks()) {
    EXPECT_FALSE(check.meaning.empty());
    EXPECT_EQ(check.remedy.empty(), check.passed) << check.name;
    if (check.name == name) return check;
  }
  ADD_FAILURE() << "no check " << name;
  return {};
}

TEST(Checks, PassForAHealthyModel) {
  for (const int chains : {1, 3}) {
    const Model model(std::make_shared<const Model::Parts>(healthy(chains)));
    ASSERT_EQ(model.checks().size(), 6U);
    for (const Check& check : model.checks()) EXPECT_TRUE(check.passed) << check.name;
  }
  EXPECT_NEAR(check_of(healthy(), "acceptance of latent").value, 0.8, 1e-12);
  EXPECT_EQ(check_of(healthy(), "draws").value, 400);
  EXPECT_EQ(check_of(healthy(), "iterations").value, 300);
}

TEST(Checks, FindChainsThatDisagreeAboutAnyScore) {
  for (const Index probe : {0, 2}) {
    Model::Parts parts = healthy();
    for (TraceRow& row : parts.trace) {
      if (row.chain == 1) row.probes[probe] += 3;
    }
    const Check check = check_of(parts, "R-hat");
    EXPECT_FALSE(check.passed);
    EXPECT_GT(check.value, 1.05);
  }
}

TEST(Checks, NameTheVariableThatDisagreesMost) {
  Model::Parts parts = healthy();
  for (TraceRow& row : parts.trace) {
    if (row.chain == 1) row.noise[1] += 3;
  }
  const Check check = check_of(parts, "R-hat");
  EXPECT_TRUE(check.passed);  // the scores are at rest
  EXPECT_NE(check.meaning.find("noise of view 'right'"), std::string::npos) << check.meaning;
}

TEST(Checks, FindAScoreThatHardlyMoves) {
  Model::Parts parts = healthy(1);
  double walk = 0;
  for (TraceRow& row : parts.trace) {
    walk = 0.99 * walk + 0.1 * row.probes[1] * row.kept;
    row.probes[1] = walk;
  }
  const Check check = check_of(parts, "effective samples");
  EXPECT_FALSE(check.passed);
  EXPECT_LT(check.value, 50);
}

TEST(Checks, FindMovesThatAreRefused) {
  Model::Parts parts = healthy();
  for (TraceRow& row : parts.trace) row.frequency_acceptance = 0.3;
  EXPECT_FALSE(check_of(parts, "acceptance of frequency").passed);
  EXPECT_TRUE(check_of(parts, "acceptance of latent").passed);
}

TEST(Checks, SayWhenThereWereNoMoves) {
  Model::Parts parts = healthy();
  for (TraceRow& row : parts.trace) row.latent_acceptance = std::nan("");
  const Check check = check_of(parts, "acceptance of latent");
  EXPECT_TRUE(check.passed);
  EXPECT_EQ(check.meaning, "no latent moves were tried after burn-in");
}

TEST(Checks, WantEnoughDraws) {
  Model::Parts parts = healthy();
  parts.draws.resize(50);
  EXPECT_TRUE(check_of(parts, "draws").passed);
  parts.draws.resize(49);
  EXPECT_FALSE(check_of(parts, "draws").passed);
}

TEST(Checks, TellAnEarlyEndAfterBurnInFromOneWithin) {
  Model::Parts parts = healthy(1);
  parts.stopped_early = true;
  parts.trace.resize(250);
  EXPECT_TRUE(check_of(parts, "iterations").passed);
  EXPECT_EQ(check_of(parts, "iterations").value, 250);
  parts.trace.resize(80);
  EXPECT_FALSE(check_of(parts, "iterations").passed);
  EXPECT_FALSE(check_of(parts, "R-hat").passed) << "there is nothing to tell it from";
  EXPECT_FALSE(check_of(parts, "effective samples").passed);
}

}  // namespace
}  // namespace m3lak
