// SPDX-License-Identifier: Apache-2.0
// Which bytes a view touches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/observer.h"

namespace portacl::check {

// Rows of bytes, relative to the first one that a view touches.
struct Run {
  size_t begin;
  size_t bytes;
};
struct ViewBytes {
  std::vector<Run> runs;
  bool exact = true;  // false: of the bytes in the one run some are touched
};

ViewBytes BytesOf(const OperandNote& operand);

// In which order its elements lie: sizes and strides of the axes, those of neighbours in memory as one.
std::vector<int64_t> LayoutOf(const OperandNote& operand);

}  // namespace portacl::check
