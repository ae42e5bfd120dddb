// SPDX-License-Identifier: Apache-2.0
//
// The reduction engine: one result from all elements of the (broadcast) operands.
//
//   Sum(plan, {self, target}, result, {.run = lanes, .ns_per_element = 0.2, .mean = true}, parameters);
//
// The order of additions depends on shapes, strides and dtypes alone.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"
#include "loops/tiles/tile.h"

namespace portacl::loops::reductions {

struct SumKernel {
  LaneFunction run;                      // adds the tile's sum to the double that Tile::scratch points to
  double ns_per_element;                 // arithmetic alone, on one core, operands in the first-level cache
  uint32_t repeated = 0;                 // as in ElementwiseKernel
  aclDataType dtype = ACL_DT_UNDEFINED;  // as in ElementwiseKernel
  bool mean = false;                     // the sum is divided by the number of elements
  bool whole = false;                    // Tile::scratch points to a uint64_t, which is the sum modulo 2^64
};

inline namespace v1 {

/// Plans the sum or mean over the broadcast of `inputs`. `result` has one element, to which it is converted once; one
/// of BOOL says whether the sum is 0. Without elements the sum is 0 and the mean NaN.
PORTACL_EXPORT void Sum(exec::PlanBuilder& builder, std::initializer_list<OperandPart> inputs, int result,
                        const SumKernel& kernel, const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops::reductions
