#include "study/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "study/markdown.h"

namespace m3lak {
namespace {

Plot example() {
  return {"A & B",
          "x",
          "y",
          {{"one", {1, 2, 3}, {4, 5, 6}, {0.5, 0.5, 0.5}}, {"<two>", {1, 3}, {6, 4}}}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Plot, DrawsEachSeries) {
  const std::string text = svg(example());
  EXPECT_TRUE(text.starts_with("<svg "));
  EXPECT_TRUE(text.ends_with("</svg>\n"));
  EXPECT_EQ(count(text, "<polyline"), 2U);
  EXPECT_EQ(count(text, "<circle"), 5U);
  EXPECT_NE(text.find("A &amp; B"), std::string::npos);
  EXPECT_NE(text.find("&lt;two&gt;"), std::string::npos);
  EXPECT_EQ(count(svg(std::vector{example(), example()}), "<polyline"), 4U);
}

/// The upper left corner of the frame.
std::pair<double, double> corner(const std::string& text) {
  double x = 0, y = 0;
  const std::size_t at = text.find("<rect x=");
  EXPECT_EQ(std::sscanf(text.c_str() + at, "<rect x=\"%lf\" y=\"%lf\"", &x, &y), 2);
  return {x, y};
}

TEST(Plot, FrameLeavesRoomForNumbersAndLegend) {
  Plot plot = example();
  const auto [x, y] = corner(svg(plot));
  for (double& value : plot.series[0].y) value += 650000;
  for (double& value : plot.series[1].y) value += 650000;
  EXPECT_GE(corner(svg(plot)).first, x + 25);
  for (int i = 0; i < 6; ++i) plot.series.push_back(plot.series[0]);
  for (Series& series : plot.series) series.name = "a long name of a method";
  EXPECT_GE(corner(svg(plot)).second, y + 3 * 18);
  plot.series.resize(1);
  EXPECT_EQ(corner(svg(plot)).second, y - 18);
}

TEST(Plot, BarsEndWhereValuesDo) {
  Plot plot{"", "x", "y", {{"one", {0, 1}, {60, 100}, {20, 20}}}};
  EXPECT_EQ(count(svg(plot), ">120<"), 1U);
  plot.most = 100;
  EXPECT_EQ(count(svg(plot), ">120<"), 0U);
  EXPECT_EQ(count(svg(plot), ">100<"), 1U);
  EXPECT_EQ(count(svg(plot), ">40<"), 1U);
  plot.least = 60;
  EXPECT_EQ(count(svg(plot), ">40<"), 0U);
}

TEST(Plot, NumbersOfAnAxisDiffer) {
  const Plot plot{"", "x", "y", {{"one", {0, 1e-3}, {-1234567, -1234563}}}};
  const std::string text = svg(plot);
  for (const char* number : {">-1234567<", ">-1234566<", ">-1234563<", ">0.0000<", ">0.0002<"}) {
    EXPECT_EQ(count(text, number), 1U) << number;
  }
  EXPECT_EQ(count(svg(Plot{"", "x", "y", {{"one", {0, 20}, {0, 1}}}}), ">10<"), 1U);
}

TEST(Plot, LeavesOutWhatCannotBeDrawn) {
  Plot plot = example();
  plot.series[0].y[1] = NAN;
  EXPECT_EQ(count(svg(plot), "<circle"), 4U);
  plot.logarithmic_y = true;
  plot.series[0].y[0] = -1;
  const std::string text = svg(plot);
  EXPECT_EQ(count(text, "<circle"), 3U);
  for (const char* wrong : {"nan", "inf"}) EXPECT_EQ(text.find(wrong), std::string::npos);
  EXPECT_EQ(svg(Plot{}).find("nan"), std::string::npos);
}

TEST(MarkdownTable, IsAlignedByCharacters) {
  EXPECT_EQ(markdown_table({{"a", "±"}, {"bcde", "10"}}),
            "| a    |   ± |\n| ---- | --: |\n| bcde |  10 |\n");
}

}  // namespace
}  // namespace m3lak
