// SPDX-License-Identifier: Apache-2.0
// Draws lines of small images into an SVG file: what went into the operators above what came out of them.
#pragma once

#include <string>
#include <vector>

namespace portacl::demo {

struct PictureRow {
  std::string caption;
  int height;  // of an image, in elements
  int width;
  std::vector<float> values;  // images one after another; as many are drawn as there is room for
  bool is_signed;             // blue below 0, white, red above; otherwise 0 is paper and the largest value ink
};

// Throws std::runtime_error when the file cannot be written.
void WritePicture(const std::string& path, const std::vector<PictureRow>& rows);

}  // namespace portacl::demo
