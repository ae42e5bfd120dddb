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
  bool is_mean = false;  // else the largest: of no element the lowest value of the dtype, -inf
  WindowAxis high = {};
  WindowAxis wide = {};
  // Of a mean: what it divides by; 0: the number of elements in the image, or, where padding counts, also of those in
  // so much of it behind the image.
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
