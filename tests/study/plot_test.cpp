#include "study/plot.h"

#include <gtest/gtest.h>

#include <cmath>

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
