// SPDX-License-Identifier: Apache-2.0
// Draws rows of digits into a PNG file: what went into the operators above what came out of them.
#pragma once

#include <string>
#include <vector>

struct PictureRow {
  std::string caption;
  std::vector<float> values;  // images of 8 x 8 one after another, as many in each row
  bool is_signed;             // blue below 0, white, red above; otherwise 0 is paper and the largest value ink
};

// Throws std::runtime_error when the file cannot be written.
void WritePicture(const std::string& path, const std::vector<PictureRow>& rows);
