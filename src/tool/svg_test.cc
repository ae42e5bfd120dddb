// SPDX-License-Identifier: Apache-2.0
#include "tool/svg.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace portacl::tool {
namespace {

std::string Saved(const Svg& svg) {
  const auto path = std::filesystem::temp_directory_path() / ("portacl_svg_test_" + std::to_string(getpid()) + ".svg");
  svg.Save(path);
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  return text;
}

TEST(Svg, JoinsCellsOfOneColourAndLeavesOutTheBackground) {
  constexpr Colour red = {255, 0, 0}, blue = {0, 0, 255};
  Svg svg(40, 30);
  svg.Fill(1, 2, 3, 4, {red, red, kBackground, blue});
  svg.Fill(1, 6, 3, 4, {kBackground, red});
  svg.Fill(7, 6, 3, 4, {red});
  const std::string text = Saved(svg);
  EXPECT_NE(text.find("<path stroke=\"#ff0000\" stroke-width=\"4\" d=\"M1 4h6m-3 4h3h3\"/>"), std::string::npos)
      << text;
  EXPECT_NE(text.find("<path stroke=\"#0000ff\" stroke-width=\"4\" d=\"M10 4h3\"/>"), std::string::npos) << text;
}

TEST(Svg, EscapesText) {
  Svg svg(40, 30);
  svg.Write(5, 6, "a < b & c\x01\n", true);
  EXPECT_NE(Saved(svg).find("<text x=\"5\" y=\"20\" text-anchor=\"end\">a &lt; b &amp; c\\x01\\x0a</text>"),
            std::string::npos);
}

TEST(Svg, SaysWhatCannotBeWritten) {
  EXPECT_THROW(Svg(1, 1).Save("/no/folder/picture.svg"), std::runtime_error);
  EXPECT_THROW(Svg(1, 1).Save("/dev/full"), std::runtime_error);
}

}  // namespace
}  // namespace portacl::tool
