// SPDX-License-Identifier: Apache-2.0
//
// The engine of products whose right-hand side is of small integers with a scale each some of them share.
//
//   QuantizedProduct(plan, {.x = 0, .weight = 1, .scale = {2, scale}, .out = 3, .group = 32});
#pragma once

#include <cstdint>
#include <optional>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::quantized {

/// Elements of a column that a group is a multiple of.
inline constexpr int64_t kQuantizedStep = 32;

/// out = x . ((weight + offset) * scale) + bias: [m, k] . [k, n].
struct QuantizedFactors {
  OperandPart x;
  OperandPart weight;                      // INT8 or INT4
  OperandPart scale;                       // [groups, n], a row for each `group` elements of a column
  std::optional<OperandPart> offset = {};  // the same
  std::optional<OperandPart> bias = {};    // [n]
  OperandPart out;
  int64_t group;  // a multiple of kQuantizedStep; of k or more where there is one row of scales
};

inline namespace v1 {

/// Plans the product: any strides, floating dtypes but for the weight; of INT4, strides and offsets count elements.
/// Weights that do not follow each other along k are gathered first. For few rows of x they are multiplied as they are
/// read, and a scale is applied to the sum of its group, or to each product where that is not finite; sums are those of
/// float32 over blocks of 1024 terms, added in float64. For more, blocks of weights become float32, and are multiplied
/// as other products are. Tiling by shape: the bits depend neither on the number of threads nor on the layout.
PORTACL_EXPORT void QuantizedProduct(exec::PlanBuilder& builder, const QuantizedFactors& factors);

}  // namespace v1
}  // namespace portacl::loops::quantized
