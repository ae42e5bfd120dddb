// SPDX-License-Identifier: Apache-2.0
//
// Selects elements by their place in the sorted order of a row.
//
//   Select(plan, self, axis, {.pick = Pick::kFirst, .k = 5, .descending = true}, values, indices);
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::reductions {

enum class Pick : uint8_t {
  kFirst,            // the first k elements, in order
  kKth,              // the k-th element
  kMedian,           // the element at place (n - 1) / 2, or the first NaN
  kMedianOfNumbers,  // the same among the elements that are no NaN; the first element if there is none
};

struct Selection {
  Pick pick;
  int64_t k = 1;  // between 1 and the number of elements of a row
  bool descending = false;
};

inline constexpr int kAllAxes = -1;
inline constexpr int kNoIndices = -1;

inline namespace v1 {

/// Plans values = the selected elements of each row of `self` along `axis`, and indices = their positions (numbers of
/// PlanBuilder::Operand; indices may be kNoIndices). `axis` may be kAllAxes: then the only row has all elements in
/// row-major order. Rows have at least one element and at most kMostSorted. `self` has any real dtype, `indices` is
/// INT64. Equal elements keep their order in both directions; -0 equals +0; NaN is larger than all numbers. Outputs have
/// the axes of `self`; that of a single result may be missing. A tensor of rank 0 has one axis, too.
PORTACL_EXPORT void Select(exec::PlanBuilder& builder, int self, int axis, const Selection& selection, int values,
                           int indices);

}  // namespace v1
}  // namespace portacl::loops::reductions
