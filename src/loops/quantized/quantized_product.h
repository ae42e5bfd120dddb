// SPDX-License-Identifier: Apache-2.0
//
// The engine for products whose right-hand side holds small integers, with a scale for each group of them.
//
//   QuantizedProduct(plan, {.x = 0, .weight = 1, .scale = {2, scale}, .out = 3, .group = 32});
#pragma once

#include <cstdint>
#include <optional>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::quantized {

/// A group is a multiple of this many elements of a column.
inline constexpr int64_t kQuantizedStep = 32;

/// out = x . ((weight + offset) * scale) + bias: [m, k] . [k, n].
struct QuantizedFactors {
  OperandPart x;
  OperandPart weight;                      // INT8 or INT4
  OperandPart scale;                       // [groups, n]: one row for each `group` elements of a column
  std::optional<OperandPart> offset = {};  // [groups, n]
  std::optional<OperandPart> bias = {};    // [n]
  OperandPart out;
  int64_t group;  // a multiple of kQuantizedStep; at least k if there is one row of scales
};

inline namespace v1 {

/// Plans the product. Any strides; floating dtypes, except for the weight. For INT4, strides and offsets are in
/// elements. Weights that are not contiguous along k are gathered first. For few rows of x, weights are multiplied as
/// they are read; the scale is applied to the sum of its group or, where that is not finite, to each product. Blocks of
/// 1024 terms are summed in float32, their sums in float64. For more rows, blocks of weights are widened to float32 and
/// multiplied like other products. Tiles depend on the shape alone, so results depend neither on the number of threads
/// nor on the layout.
PORTACL_EXPORT void QuantizedProduct(exec::PlanBuilder& builder, const QuantizedFactors& factors);

}  // namespace v1
}  // namespace portacl::loops::quantized
