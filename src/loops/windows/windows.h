// SPDX-License-Identifier: Apache-2.0
//
// The engine of windows that move over images: the largest element in each, or the mean.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/windows/windows_lanes.h"

namespace portacl::loops::windows {

struct Pooling {
  bool is_mean = false;  // else the largest; an empty window has the lowest value of the dtype, or -inf
  WindowAxis high = {};
  WindowAxis wide = {};
  // What a mean divides by. 0: the number of the window's elements in the image, and, where padding counts, in the
  // padding, which reaches as far behind the image as `after_high` and `after_wide` say.
  int64_t divisor = 0;
  bool counts_padding = false;
  int64_t after_high = 0;
  int64_t after_wide = 0;
};

inline namespace v1 {

/// Plans out = the windows of `self` (numbers of PlanBuilder::Operand), whose last two axes are height and width, and
/// which has the other axes, one or two, in common with `out`. Any strides; FLOAT, FLOAT16, BFLOAT16, of the largest
/// also integers, and the same in both. Sums are float64 and rounded once after the division.
PORTACL_EXPORT void PoolWindows(exec::PlanBuilder& plan, int self, int out, const Pooling& pooling);

}  // namespace v1
}  // namespace portacl::loops::windows
