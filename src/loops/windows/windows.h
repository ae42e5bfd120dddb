// SPDX-License-Identifier: Apache-2.0
//
// The engine for windows that move over images: the largest element of each window, or the mean.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/windows/windows_lanes.h"

namespace portacl::loops::windows {

struct Pooling {
  bool is_mean = false;  // otherwise the largest element; an empty window gives the lowest value of the dtype, or -inf
  WindowAxis high = {};
  WindowAxis wide = {};
  // The divisor of means. 0: the number of elements of the window in the image and, if `counts_padding`, in the
  // padding, which extends beyond the image by `after_high` and `after_wide`.
  int64_t divisor = 0;
  bool counts_padding = false;
  int64_t after_high = 0;
  int64_t after_wide = 0;
};

inline namespace v1 {

/// Plans out = the pooled windows of `self` (numbers of PlanBuilder::Operand). The last two axes of both are height and
/// width; the others, one or two, have the same sizes. Any strides; FLOAT, FLOAT16, BFLOAT16, for the largest element
/// also integers; both have the same dtype. Sums are float64, and rounded once after the division.
PORTACL_EXPORT void PoolWindows(exec::PlanBuilder& plan, int self, int out, const Pooling& pooling);

}  // namespace v1
}  // namespace portacl::loops::windows
