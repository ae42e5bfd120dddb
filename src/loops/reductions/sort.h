// SPDX-License-Identifier: Apache-2.0
//
// Sorts elements along an axis.
#pragma once

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::reductions {

inline constexpr int64_t kMostSorted = (int64_t{1} << 31) - 1;  // elements along the axis

inline namespace v1 {

/// Plans indices = the positions along `axis` of the elements of `self`, in ascending or descending order, and values =
/// those elements, converted (numbers of PlanBuilder::Operand; values may be kNoValues). `self` has any dtype but
/// DOUBLE, `indices` is INT64. Equal elements keep their order in both directions; -0 equals +0; NaN is larger than all
/// numbers. A tensor of rank 0 has one axis, too.
inline constexpr int kNoValues = -1;
PORTACL_EXPORT void Sort(exec::PlanBuilder& plan, int self, int axis, bool descending, int values, int indices);

}  // namespace v1
}  // namespace portacl::loops::reductions
