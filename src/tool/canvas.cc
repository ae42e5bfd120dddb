// SPDX-License-Identifier: Apache-2.0
#include "tool/canvas.h"

#include <png.h>

#include <cstring>
#include <stdexcept>

#include "tool/glyphs.h"

namespace portacl::tool {
namespace {

constexpr Colour kBackground = {250, 250, 248};
constexpr Colour kText = {40, 40, 48};

}  // namespace

Canvas::Canvas(int width, int height)
    : width_(width), height_(height), pixels_(static_cast<size_t>(width) * static_cast<size_t>(height), kBackground) {}

void Canvas::Fill(int left, int top, int width, int height, Colour colour) {
  for (int y = top; y < top + height; ++y) {
    for (int x = left; x < left + width; ++x) pixels_[static_cast<size_t>(y * width_ + x)] = colour;
  }
}

int Canvas::Write(int left, int top, const std::string& text) {
  for (const char c : text) {
    for (const GlyphSheet& sheet : kGlyphSheets) {
      const char* found = std::strchr(sheet.characters, c);
      if (found == nullptr) continue;
      const auto first = (found - sheet.characters) * 6;
      for (int row = 0; row < 9; ++row) {
        for (int column = 0; column < 5; ++column) {
          if (sheet.rows[row][first + column] == '#') {
            Fill(left + column * kDot, top + row * kDot, kDot, kDot, kText);
          }
        }
      }
    }
    left += 6 * kDot;
  }
  return left;
}

void Canvas::Save(const std::string& path) const {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, path.c_str(), 0, pixels_.data(), 0, nullptr)) {
    throw std::runtime_error(path + ": " + image.message);
  }
}

}  // namespace portacl::tool
