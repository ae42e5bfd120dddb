// SPDX-License-Identifier: Apache-2.0
//
// Elements in their order along an axis.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::reductions {

inline constexpr int64_t kMostSorted = (int64_t{1} << 31) - 1;  // elements along the axis

inline namespace v1 {

/// Plans indices = the places along `axis` of the elements of `self` in rising or falling order, and values = those
/// elements, converted (numbers of PlanBuilder::Operand; values may be kNoValues). `self` has a dtype other than DOUBLE,
/// `indices` is INT64. Equal elements keep their order, either way; -0 equals +0; NaN is larger than all numbers. One
/// element has an axis, too.
inline constexpr int kNoValues = -1;
PORTACL_EXPORT void Sort(exec::PlanBuilder& plan, int self, int axis, bool descending, int values, int indices);

}  // namespace v1
}  // namespace portacl::loops::reductions
