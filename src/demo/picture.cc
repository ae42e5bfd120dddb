// SPDX-License-Identifier: Apache-2.0
#include "demo/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tool/canvas.h"

namespace portacl::demo {
namespace {

using tool::Canvas;
using tool::Colour;
using tool::kDot;

constexpr int kImage = 96;    // screen pixels of an image's shorter side, if its elements are that few
constexpr int kWidth = 1060;  // room for the images of a line
constexpr int kGap = 10;
constexpr int kMargin = 24;
constexpr int kCaption = 34;  // height of a caption line
constexpr int kBar = 160;     // length of a colour bar

Colour Mix(Colour from, Colour to, double share) {
  const auto mix = [share](int a, int b) { return static_cast<unsigned char>(std::lround(a + (b - a) * share)); };
  return {mix(from.red, to.red), mix(from.green, to.green), mix(from.blue, to.blue)};
}

// `value` from -1 (or 0, unsigned) to 1. The signed map passes through a middle tone, so that small values are not
// lost.
Colour Shade(double value, bool is_signed) {
  constexpr Colour white = {255, 255, 255}, ink = {30, 30, 40};
  constexpr Colour light_red = {239, 138, 98}, red = {165, 15, 30}, light_blue = {103, 169, 207}, blue = {8, 60, 130};
  constexpr Colour missing = {255, 0, 255};  // a NaN is nothing that could be overlooked
  if (std::isnan(value)) return missing;
  const double size = std::min(std::fabs(value), 1.0);
  if (!is_signed) return Mix(white, ink, size);
  const Colour middle = value < 0 ? light_blue : light_red;
  return size < 0.5 ? Mix(white, middle, size * 2) : Mix(middle, value < 0 ? blue : red, size * 2 - 1);
}

// Of the first `count`.
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

// The caption at the left, the range and its colours at the right.
void DrawCaption(Canvas& canvas, int top, int right, const PictureRow& row, double largest) {
  canvas.Write(kMargin, top, row.caption);
  const std::string high = Number(largest), low = row.is_signed ? Number(-largest) : "0";
  const auto width = [](const std::string& text) { return static_cast<int>(text.size()) * 6 * kDot; };
  const int bar = right - width(high) - kGap - kBar;
  canvas.Write(bar - kGap - width(low), top, low);
  for (int x = 0; x < kBar; ++x) {
    const double share = (x + 0.5) / kBar;
    canvas.Fill(bar + x, top, 1, 7 * kDot, Shade(row.is_signed ? 2 * share - 1 : share, row.is_signed));
  }
  canvas.Write(bar + kBar + kGap, top, high);
}

}  // namespace

void WritePicture(const std::string& path, const std::vector<PictureRow>& rows) {
  const auto scale_of = [](const PictureRow& row) {
    return std::max(1, std::min(kImage / std::max(row.height, 8), kWidth / 2 / row.width));
  };
  int height = kMargin;
  for (const PictureRow& row : rows) height += kCaption + row.height * scale_of(row) + kMargin;
  Canvas canvas(kWidth + 2 * kMargin, height);
  int top = kMargin;
  for (const PictureRow& row : rows) {
    const int scale = scale_of(row);
    const int image = row.height * row.width;
    const int fit = (kWidth + kGap) / (row.width * scale + kGap);
    const int shown = std::min(std::max(1, fit), static_cast<int>(row.values.size()) / image) * image;
    const double largest = Largest(row.values, shown);
    DrawCaption(canvas, top, kMargin + kWidth, row, largest);
    for (int pixel = 0; pixel < shown; ++pixel) {
      const int x = kMargin + pixel / image * (row.width * scale + kGap) + pixel % row.width * scale;
      const int y = top + kCaption + pixel / row.width % row.height * scale;
      const auto value = static_cast<double>(row.values[static_cast<size_t>(pixel)]);
      canvas.Fill(x, y, scale, scale, Shade(value / largest, row.is_signed));
    }
    top += kCaption + row.height * scale + kMargin;
  }
  canvas.Save(path);
}

}  // namespace portacl::demo
