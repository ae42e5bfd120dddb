// SPDX-License-Identifier: Apache-2.0
//
// The engine of matrix products: batches, any strides, operands of different floating dtypes.
//
//   products::MatMul(plan, {.a = 0, .b = {1, weights}, .out = 2});
#pragma once

#include <cstdint>
#include <optional>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::products {

/// out = beta * addend + alpha * (a . b): [m, k] . [k, n] along the last two axes. The others, the batch, have the same
/// sizes in all: an operand that is broadcast has stride 0.
struct MatMulOperands {
  OperandPart a;
  OperandPart b;
  OperandPart out;
  std::optional<OperandPart> addend = {};
  float alpha = 1;
  float beta = 0;           // 0: the addend is not read
  bool sums_first = false;  // the first axis is summed, too; it has stride 0 in `out` and in the addend
};

inline namespace v1 {

/// Plans the product. FLOAT, FLOAT16 and BFLOAT16 each; all rank 2 or more. Each product of two elements is exact where
/// the target has fused multiply-add; sums are those of float32 over blocks of some dozens to hundreds of terms, added
/// in float64 and rounded once. Which terms make a block depends on k and the dtype of `out`, so that the bits depend
/// neither on the number of threads nor on the layout. The addend may be `out`; other inputs that are it are copied first.
PORTACL_EXPORT void MatMul(exec::PlanBuilder& builder, const MatMulOperands& operands);

}  // namespace v1
}  // namespace portacl::loops::products
