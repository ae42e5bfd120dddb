// SPDX-License-Identifier: Apache-2.0
// Draws rows of small images into an SVG file: the inputs of the operators above their outputs.
#pragma once

#include <string>
#include <vector>

namespace portacl::demo {

struct PictureRow {
  std::string caption;
  int height;  // size of an image, in elements
  int width;
  std::vector<float> values;  // images one after another; those that do not fit are not drawn
  bool is_signed;             // blue below 0, white, red above; otherwise white at 0, black at the largest value
};

// Throws std::runtime_error when the file cannot be written.
void WritePicture(const std::string& path, const std::vector<PictureRow>& rows);

}  // namespace portacl::demo
