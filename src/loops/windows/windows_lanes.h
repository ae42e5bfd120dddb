// SPDX-License-Identifier: Apache-2.0
//
// The lane code for windows over an image: joins rows into one, then neighbours within that row. A pixel has some
// contiguous elements, its lanes: channels, or a single element.
#pragma once

#include <cstdint>

namespace portacl::loops::windows {

/// A window that moves along one axis. It may extend beyond the image on both sides; elements there are skipped.
struct WindowAxis {
  int64_t size;    // of the image
  int64_t places;  // number of positions of the window
  int64_t kernel;  // size of the window
  int64_t stride;
  int64_t before;  // padding before the image

  /// The part of the window at `place` that lies in the image.
  struct Range {
    int64_t begin;
    int64_t end;
    int64_t size() const { return end - begin; }
  };
  Range Inside(int64_t place) const {
    const int64_t begin = place * stride - before, end = begin + kernel;
    const Range range = {begin < 0 ? 0 : begin, end > size ? size : end};
    return range.end > range.begin ? range : Range{0, 0};
  }
};

struct WindowLanes {
  /// states[i] = the elements i of all rows, joined in order; if `adds`, joined to the previous state. There are
  /// `count` rows, at least one, of n elements.
  void (*join)(const void* const* rows, int64_t count, bool adds, void* states, int64_t n);
  /// results = the joined states of the pixels of each window, in order, or `empty` if a window has no pixels.
  void (*slide)(const WindowAxis& axis, int64_t lanes, const void* states, const void* empty, void* results);
  /// Divides means by `rows` times the count of their position; in other results, replaces -0 by 0.
  void (*finish)(int64_t places, int64_t lanes, double rows, const double* counts, void* results);
};

enum class WindowKind : uint8_t {
  kLargest,       // of FLOAT; NaN is larger than all numbers
  kLargestWhole,  // of INT64
  kMean,          // of FLOAT, in DOUBLE
};

const WindowLanes& WindowLanesOf(WindowKind kind, int64_t target);

}  // namespace portacl::loops::windows
