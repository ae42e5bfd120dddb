// SPDX-License-Identifier: Apache-2.0
#include "demo/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tool/svg.h"

namespace portacl::demo {
namespace {

using tool::Colour;
using tool::Svg;

constexpr int kImage = 96;    // pixels along the shorter side of a small image
constexpr int kWidth = 1060;  // width of a row of images
constexpr int kGap = 10;
constexpr int kMargin = 24;
constexpr int kCaption = 34;  // height of a caption line
constexpr int kBar = 160;     // length of a colour bar
constexpr int kNumber = 80;   // width of the number at its right end
constexpr int kTones = 16;    // from white to the darkest; the same number as the scanner's grey levels

Colour Mix(Colour from, Colour to, double share) {
  const auto mix = [share](int a, int b) { return static_cast<unsigned char>(std::lround(a + (b - a) * share)); };
  return {mix(from.red, to.red), mix(from.green, to.green), mix(from.blue, to.blue)};
}

// `value` from -1 (or 0, unsigned) to 1, rounded to one of the tones. The signed colour map passes through a middle
// tone, so that small values stay visible.
Colour Shade(double value, bool is_signed) {
  constexpr Colour ink = {30, 30, 40};
  constexpr Colour light_red = {239, 138, 98}, red = {165, 15, 30}, light_blue = {103, 169, 207}, blue = {8, 60, 130};
  constexpr Colour missing = {255, 0, 255};  // a NaN must be visible
  if (std::isnan(value)) return missing;
  const double size = std::round(std::min(std::fabs(value), 1.0) * kTones) / kTones;
  if (!is_signed) return Mix(tool::kBackground, ink, size);
  const Colour middle = value < 0 ? light_blue : light_red;
  return size < 0.5 ? Mix(tool::kBackground, middle, size * 2) : Mix(middle, value < 0 ? blue : red, size * 2 - 1);
}

// The largest finite magnitude among the first `count`.
double Largest(const std::vector<float>& values, int count) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[static_cast<size_t>(i)]);
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  return largest == 0 ? 1 : largest;
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

// The caption on the left, the range and its colours on the right.
void DrawCaption(Svg& svg, int top, int right, const PictureRow& row, double largest) {
  svg.Write(kMargin, top, row.caption);
  const int left = right - kNumber - kBar;
  svg.Write(left - kGap, top, row.is_signed ? Number(-largest) : "0", true);
  svg.Write(right - kNumber + kGap, top, Number(largest));
  std::vector<Colour> bar;
  for (int x = 0; x < kBar; ++x) {
    const double share = (x + 0.5) / kBar;
    bar.push_back(Shade(row.is_signed ? 2 * share - 1 : share, row.is_signed));
  }
  svg.Fill(left, top, 1, tool::kTextHeight, bar);
}

}  // namespace

void WritePicture(const std::string& path, const std::vector<PictureRow>& rows) {
  const auto scale_of = [](const PictureRow& row) {
    return std::max(1, std::min(kImage / std::max(row.height, 8), kWidth / 2 / row.width));
  };
  int height = kMargin;
  for (const PictureRow& row : rows) height += kCaption + row.height * scale_of(row) + kMargin;
  Svg svg(kWidth + 2 * kMargin, height);
  int top = kMargin;
  for (const PictureRow& row : rows) {
    const int scale = scale_of(row);
    const int fit = (kWidth + kGap) / (row.width * scale + kGap);
    const int images = std::min(std::max(1, fit), static_cast<int>(row.values.size()) / (row.height * row.width));
    const double largest = Largest(row.values, images * row.height * row.width);
    DrawCaption(svg, top, kMargin + kWidth, row, largest);
    top += kCaption;
    const float* value = row.values.data();
    for (int line = 0; line < images * row.height; ++line) {
      std::vector<Colour> cells;
      for (int column = 0; column < row.width; ++column)
        cells.push_back(Shade(static_cast<double>(*value++) / largest, row.is_signed));
      const int left = kMargin + line / row.height * (row.width * scale + kGap);
      svg.Fill(left, top + line % row.height * scale, scale, scale, cells);
    }
    top += row.height * scale + kMargin;
  }
  svg.Save(path);
}

}  // namespace portacl::demo
