// SPDX-License-Identifier: Apache-2.0
//
// What windows over an image need in lanes: rows joined into one, then neighbours in it. A pixel is some elements that
// lie together, its lanes: channels, or a single one.
#pragma once

#include <cstdint>

namespace portacl::loops::windows {

/// A window that moves along one axis. It may reach beyond the image on both sides, as no element is taken there.
struct WindowAxis {
  int64_t size;    // of the image
  int64_t places;  // of the window
  int64_t kernel;  // size of the window
  int64_t stride;
  int64_t before;  // padding in front of the image

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
  /// states[i] = the rows' elements i joined, in their order, after what is there where `adds`; `count` rows, at least
  /// one, of n elements.
  void (*join)(const void* const* rows, int64_t count, bool adds, void* states, int64_t n);
  /// results = the states of the pixels in each window joined, in their order; `empty` where there are none.
  void (*slide)(const WindowAxis& axis, int64_t lanes, const void* states, const void* empty, void* results);
  /// Means are divided by `rows` times the number of their place; other results replace -0 by 0.
  void (*finish)(int64_t places, int64_t lanes, double rows, const double* counts, void* results);
};

enum class WindowKind : uint8_t {
  kLargest,       // of FLOAT; NaN is larger than all numbers
  kLargestWhole,  // of INT64
  kMean,          // of FLOAT, in DOUBLE
};

const WindowLanes& WindowLanesOf(WindowKind kind, int64_t target);

}  // namespace portacl::loops::windows
