// SPDX-License-Identifier: Apache-2.0
// A picture made of rectangles and lines of text, written as a PNG file.
#pragma once

#include <string>
#include <vector>

namespace portacl::tool {

struct Colour {
  unsigned char red, green, blue;
};

inline constexpr int kDot = 2;  // screen pixels of a dot of the font; a character is 6 dots wide and 9 high

class Canvas {
 public:
  Canvas(int width, int height);

  void Fill(int left, int top, int width, int height, Colour colour);

  // Returns where the text ends. A character that the font lacks is a space.
  int Write(int left, int top, const std::string& text);

  // Throws std::runtime_error when the file cannot be written.
  void Save(const std::string& path) const;

 private:
  int width_, height_;
  std::vector<Colour> pixels_;
};

}  // namespace portacl::tool
