// SPDX-License-Identifier: Apache-2.0
//
// The reduction engine: one result from all elements of the (broadcast) operands.
//
//   loops::Sum(plan, {self, target}, result, {.run = lanes, .ns_per_element = 0.2, .mean = true}, parameters);
//
// Elements are added in an order that follows from shapes, strides and dtypes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/elementwise.h"
#include "loops/tile.h"

namespace portacl::loops {

struct SumKernel {
  LaneFunction run;       // adds the tile's sum to the double that Tile::scratch points to
  double ns_per_element;  // arithmetic alone, one core, operands in the first-level cache
  uint32_t repeated = 0;  // as in ElementwiseKernel
  bool in_float = false;
  bool mean = false;  // the sum is divided by the number of elements
};

inline namespace v1 {

/// Plans the sum or mean over the broadcast of `inputs` (numbers of PlanBuilder::Operand). `result` has one element;
/// its dtype is FLOAT, FLOAT16, BFLOAT16 or DOUBLE, and it is rounded once. Without elements the sum is 0 and the mean
/// NaN. The `parameters` are copied and handed to each tile.
PORTACL_LEND void Sum(exec::PlanBuilder& plan, std::initializer_list<int> inputs, int result, const SumKernel& kernel,
                      const void* parameters, size_t parameter_bytes);

}  // namespace v1

template <class P>
void Sum(exec::PlanBuilder& plan, std::initializer_list<int> inputs, int result, const SumKernel& kernel,
         const P& parameters) {
  static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= kMaxParameterBytes && alignof(P) <= 16);
  Sum(plan, inputs, result, kernel, &parameters, sizeof(P));
}

}  // namespace portacl::loops
