// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of more and more elements along an axis. They are taken one after the other: neither threads nor
// instruction sets change a result.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::reductions {

struct Running {
  bool product = false;
  bool exclusive = false;  // without the element itself: 0, or 1 of a product, comes first
  bool reverse = false;    // from the last element on
};

inline namespace v1 {

/// Plans out = the running sum of `self` along `axis` (numbers of PlanBuilder::Operand; one element has an axis, too).
/// Elements are converted to the dtype of `out` first. Integers wrap modulo 2^n; others are summed in float64 and
/// rounded once, those of DOUBLE with what float64 rounds off;
/// complex numbers, which have no products here, part by part.
PORTACL_EXPORT void Scan(exec::PlanBuilder& plan, int self, int axis, int out, const Running& running);

}  // namespace v1
}  // namespace portacl::loops::reductions
