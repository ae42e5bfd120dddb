// SPDX-License-Identifier: Apache-2.0
//
// Running sums and products along an axis. Elements are added in sequence, so neither threads nor instruction sets
// change a result.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::reductions {

struct Running {
  bool product = false;
  bool exclusive = false;  // excludes the element itself: the first result is 0, or 1 for a product
  bool reverse = false;    // starts at the last element
};

inline namespace v1 {

/// Plans out = the running sum of `self` along `axis` (numbers of PlanBuilder::Operand; a tensor of rank 0 has one
/// axis, too). Elements are first converted to the dtype of `out`. Integers wrap modulo 2^n. Other dtypes are summed in
/// float64 and rounded once; for DOUBLE, rounding errors are summed as well. Complex numbers are summed by parts; they
/// have no products here.
PORTACL_EXPORT void Scan(exec::PlanBuilder& plan, int self, int axis, int out, const Running& running);

}  // namespace v1
}  // namespace portacl::loops::reductions
