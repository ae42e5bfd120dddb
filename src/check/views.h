// SPDX-License-Identifier: Apache-2.0
// The bytes that a view touches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/observer.h"

namespace portacl::check {

// Rows of bytes, relative to the first byte that a view touches.
struct Run {
  size_t begin;
  size_t bytes;
};
struct ViewBytes {
  std::vector<Run> runs;
  bool exact = true;  // false: only some of the bytes of the one run are touched
};

ViewBytes BytesOf(const OperandNote& operand);

// The order of a view's elements: sizes and strides of the axes, where axes that are adjacent in memory are merged.
std::vector<int64_t> LayoutOf(const OperandNote& operand);

}  // namespace portacl::check
