// SPDX-License-Identifier: Apache-2.0
// A picture made of rectangles and lines of text, written as an SVG file. It brings its own light background, so that
// it reads the same on dark pages.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace portacl::tool {

struct Colour {
  unsigned char red, green, blue;
  auto operator<=>(const Colour&) const = default;
};

inline constexpr Colour kBackground = {255, 255, 255};
inline constexpr int kTextHeight = 14;  // height of a capital letter

class Svg {
 public:
  Svg(int width, int height) : width_(width), height_(height) {}

  // Adjacent cells of `width`. Neighbours of the same colour become one rectangle; cells of the background colour are
  // not drawn. Cells of several calls must not overlap, as all of the same colour and height become one path.
  void Fill(int left, int top, int width, int height, const std::vector<Colour>& cells);

  // Text that starts or ends at `x`; `top` is the top of its capital letters.
  void Write(int x, int top, std::string_view text, bool ends_at_x = false);

  // Throws std::runtime_error if the file cannot be written.
  void Save(const std::string& path) const;

 private:
  struct Path {
    std::string commands;
    int x, top;  // end of the last rectangle
  };

  void AddLine(int left, int top, int width, int height, Colour colour);

  const int width_, height_;
  std::map<std::tuple<Colour, int>, Path> paths_;  // by colour and height
  std::string texts_;
};

}  // namespace portacl::tool
