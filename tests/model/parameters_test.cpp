#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/options.h"

namespace m3lak {
namespace {

void expect_message(const std::string& name, const std::string& value, const std::string& message) {
  Options options;
  try {
    set(options, name, value);
    ADD_FAILURE() << name << " = " << value << " was taken";
  } catch (const BadUsage& error) {
    EXPECT_EQ(error.what(), message);
  }
}

/// A value of the setting that is neither the default nor the paper's.
std::string other_value(const Parameter& parameter) {
  static const std::set<std::string> shares = {"label-weight", "target-acceptance"};
  if (shares.contains(parameter.name)) return "0.123456789";
  if (parameter.values.starts_with("integer")) return "17";
  if (parameter.values.starts_with("number")) return "123.45678901234567";
  const Options options;
  std::istringstream words(parameter.values);
  for (std::string word; std::getline(words, word, '|');) {
    if (word != get(options, parameter.name)) return word;
  }
  ADD_FAILURE() << parameter.name << " has one value only";
  return "";
}

TEST(Parameters, ReachEachFieldOfItsOwn) {
  for (const Parameter& changed : parameters()) {
    Options options;
    set(options, changed.name, other_value(changed));
    for (const Parameter& parameter : parameters()) {
      const std::string expected =
          parameter.name == changed.name ? other_value(changed) : get(Options(), parameter.name);
      EXPECT_EQ(get(options, parameter.name), expected) << "after " << changed.name;
    }
  }
}

std::string contents_of(const std::string& file_in_repository) {
  const auto root = std::filesystem::path(__FILE__).parent_path() / "../..";
  std::ostringstream contents;
  contents << std::ifstream(root / file_in_repository).rdbuf();
  return contents.str();
}

/// The fields of Options as the header declares them ("  int burn_in = 300;"), named as settings.
std::vector<std::string> declared_settings() {
  const std::string header = contents_of("include/m3lak/options.h");
  const std::size_t begin = header.find("struct M3LAK_API Options {");
  std::istringstream body(header.substr(begin, header.find("\n};", begin) - begin));
  std::vector<std::string> names;
  for (std::string line; std::getline(body, line);) {
    const std::size_t end = line.find(" = ");
    const bool is_comment = line.find("//") < end, is_function = line.find('(') < end;
    if (end == std::string::npos || is_comment || is_function) continue;
    std::string name = line.substr(line.rfind(' ', end - 1) + 1);
    name.resize(name.find(' '));
    std::replace(name.begin(), name.end(), '_', '-');
    names.push_back(name);
  }
  return names;
}

TEST(Parameters, AreTheFieldsOfOptionsInTheirOrder) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters()) names.push_back(parameter.name);
  EXPECT_EQ(names, declared_settings());
}

TEST(Parameters, AreDescribed) {
  std::set<std::string> names;
  for (const Parameter& parameter : parameters()) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name << " occurs twice";
    EXPECT_FALSE(parameter.help.empty());
    EXPECT_EQ(parameter.name.find('_'), std::string::npos);
  }
  const auto values = [](const std::string& name) {
    for (const Parameter& parameter : parameters()) {
      if (parameter.name == name) return parameter.values;
    }
    return std::string();
  };
  EXPECT_EQ(values("latent"), "integer >= 1 or auto");
  EXPECT_EQ(values("features"), "integer >= 1");
  EXPECT_EQ(values("C"), "number > 0 or auto");
  EXPECT_EQ(values("base-mean"), "number");
  EXPECT_EQ(values("label-weight"), "number >= 0 and <= 1");
  EXPECT_EQ(values("target-acceptance"), "number > 0 and < 1");
  EXPECT_EQ(values("integrate-private"), "yes|no");
  EXPECT_EQ(values("start"), "svd|random");
  EXPECT_EQ(values("scaling"),
            "auto|none|center|standardize|equal-variance|unit-length|root-center|root-standardize|"
            "root-unit-length");
}

TEST(Parameters, KeepNumbersExactly) {
  for (const double value : {0.1, 1.0 / 3, 1e-5, 5e-324, 1.7976931348623157e308, 2.0}) {
    Options options, copy;
    options.base_scale = value;
    set(copy, "base-scale", get(options, "base-scale"));
    EXPECT_EQ(copy.base_scale, value);
  }
  Options options;
  options.relevance_shape = 0.1;
  EXPECT_EQ(get(options, "relevance-shape"), "0.1");
  set(options, "seed", "18446744073709551615");
  EXPECT_EQ(options.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(get(options, "seed"), "18446744073709551615");
}

TEST(Parameters, TakeAutoForZero) {
  Options options;
  for (const std::string name : {"C", "latent", "base-dof", "threads"}) {
    set(options, name, "7");
    EXPECT_EQ(get(options, name), "7");
    set(options, name, "auto");
    EXPECT_EQ(get(options, name), "auto");
  }
  EXPECT_EQ(options.C, 0);
  EXPECT_NO_THROW(options.check());
  options.latent = 20;
  EXPECT_EQ(options.base_degrees(), 122);
}

TEST(Parameters, TakeYesAndNoInSeveralSpellings) {
  Options options;
  for (const char* text : {"yes", "true", "1"}) {
    options.integrate_private = false;
    set(options, "integrate-private", text);
    EXPECT_TRUE(options.integrate_private);
  }
  for (const char* text : {"no", "false", "0"}) {
    set(options, "integrate-private", text);
    EXPECT_FALSE(options.integrate_private);
    options.integrate_private = true;
  }
}

TEST(Parameters, RefuseWithTheRule) {
  expect_message("features", "-3", "`features = -3`: must be at least 1");
  expect_message("features", "2.5", "`features = 2.5`: must be an integer of at least 1");
  expect_message("features", "", "`features = `: must be an integer of at least 1");
  expect_message("features", "2000000000", "`features = 2000000000`: must be at most 1000000000");
  expect_message("C", "x", "`C = x`: must be a number above 0, or auto");
  expect_message("C", "-1", "`C = -1`: must be above 0, or auto");
  expect_message("C", "1 ", "`C = 1 `: must be a number above 0, or auto");
  expect_message("base-scale", "0", "`base-scale = 0`: must be above 0");
  expect_message("base-scale", "auto", "`base-scale = auto`: must be a number above 0");
  expect_message("base-mean", "nan", "`base-mean = nan`: must be a number");
  expect_message("base-mean", "inf", "`base-mean = inf`: must be a number");
  expect_message("label-weight", "1.5", "`label-weight = 1.5`: must be at most 1");
  expect_message("label-weight", "-0.5", "`label-weight = -0.5`: must be at least 0");
  expect_message("target-acceptance", "1", "`target-acceptance = 1`: must be below 1");
  expect_message("seed", "-1", "`seed = -1`: must be an integer of at least 0");
  expect_message("threads", "-1", "`threads = -1`: must be at least 1, or auto");
  expect_message("hmc", "fast", "`hmc = fast`: must be one of preconditioned|plain|authors");
  expect_message("integrate-private", "on", "`integrate-private = on`: must be one of yes|no");
  Options options;
  expect_error<BadUsage>([&] { set(options, "latnet", "3"); }, {"`latnet`", "latent, private-"});
  expect_error<BadUsage>([&] { get(options, "base_dof"); }, {"`base_dof`", "base-dof"});
}

template <class Change>
void expect_refused(const Change& change, std::initializer_list<const char*> words) {
  Options options;
  change(options);
  expect_error<BadUsage>([&] { options.check(); }, words);
}

TEST(Options, CheckEachFieldAlone) {
  EXPECT_NO_THROW(Options().check());
  expect_refused([](Options& o) { o.latent = -1; }, {"`latent = -1`: must be at least 1, or auto"});
  expect_refused([](Options& o) { o.threads = -2; }, {"`threads = -2`", "or auto"});
  expect_refused([](Options& o) { o.C = -1; }, {"`C = -1`: must be above 0, or auto"});
  expect_refused([](Options& o) { o.C = std::nan(""); }, {"`C = nan`: must be finite"});
  expect_refused([](Options& o) { o.base_mean = INFINITY; }, {"`base-mean = inf`", "finite"});
  expect_refused([](Options& o) { o.label_weight = 2; }, {"`label-weight = 2`", "at most 1"});
  expect_refused([](Options& o) { o.target_acceptance = 1; }, {"below 1"});
  expect_refused([](Options& o) { o.hmc = static_cast<Hmc>(9); }, {"`hmc`", "plain"});
}

TEST(Options, CheckFieldsAgainstEachOther) {
  expect_refused([](Options& o) { o.burn_in = o.iterations = 600; },
                 {"`burn-in = 600`", "`iterations = 600`", "below"});
  expect_refused([](Options& o) { o.thin = 401; }, {"`thin = 401`", "at most 400"});
  expect_refused([](Options& o) { o.base_dof = 51; }, {"`base-dof = 51`", "above latent + 1 = 51"});
  expect_refused(
      [](Options& o) {
        o.latent = 20;
        o.base_dof = 21;
      },
      {"`base-dof = 21`", "above latent + 1 = 21", "reconstruction", "22 or more"});
  const auto isotropic = [](double degrees) {
    return [degrees](Options& o) {
      o.latent = 20;
      o.base = Base::isotropic;
      o.base_dof = degrees;
    };
  };
  expect_refused(isotropic(19), {"`base-dof = 19`", "above latent - 1 = 19"});
  Options options;
  isotropic(19.5)(options);
  EXPECT_NO_THROW(options.check());
}

TEST(Options, HavePresets) {
  EXPECT_EQ(get(Options::preset("default"), "latent"), "auto");
  EXPECT_EQ(get(Options::preset("paper"), "linear"), "0");
  Options paper = Options::preset("paper");
  EXPECT_NO_THROW(paper.check());
  EXPECT_EQ(paper.base_degrees(), 20);
  EXPECT_EQ(get(paper, "C"), "auto");
  paper.latent = 30;
  expect_error<BadUsage>([&] { paper.check(); }, {"`base-dof = 20`", "set base-dof to 30"});
  expect_error<BadUsage>([] { Options::preset("best"); }, {"`preset = best`", "default|paper"});
}

std::string in_table(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

std::string settings_page() {
  const Options usual, paper = Options::preset("paper");
  std::string page =
      "# Settings\n\n"
      "Each is an option of the program (`--latent 30`), kept under the same name in a model file, "
      "and in C++ the field\nof `Options` with `_` for `-`. `--preset paper` sets the column "
      "`paper`; where it is empty, the default stays.\n`include/m3lak/options.h` says more about "
      "each.\n\n"
      "| setting | symbol | values | default | paper | what it does |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const Parameter& parameter : parameters()) {
    const std::string value = get(usual, parameter.name), of_paper = get(paper, parameter.name);
    page += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", parameter.name, parameter.symbol,
                        in_table(parameter.values), value, of_paper == value ? "" : of_paper,
                        in_table(parameter.help));
  }
  return page;
}

TEST(Settings, PageIsMadeFromTheTable) {
  const std::string expected = settings_page();
  EXPECT_TRUE(contents_of("docs/settings.md") == expected) << "docs/settings.md must be:\n"
                                                           << expected;
}

}  // namespace
}  // namespace m3lak
