// SPDX-License-Identifier: Apache-2.0
//
// The engine for matrix products: batches, any strides, operands of different floating dtypes.
//
//   products::MatMul(plan, {.a = 0, .b = {1, weights}, .out = 2});
#pragma once

#include <cstdint>
#include <optional>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::products {

/// out = beta * addend + alpha * (a . b): [m, k] . [k, n] along the last two axes. The other axes, the batch, have the
/// same sizes in all operands; an operand that is broadcast has stride 0.
struct MatMulOperands {
  OperandPart a;
  OperandPart b;
  OperandPart out;
  std::optional<OperandPart> addend = {};
  float alpha = 1;
  float beta = 0;           // 0: the addend is not read
  bool sums_first = false;  // the first axis is summed too; it has stride 0 in `out` and in the addend
  bool by_blocks = false;   // terms make blocks however few rows or columns there are
};

inline namespace v1 {

/// Plans the product. All operands have rank 2 or more; each is FLOAT, FLOAT16 or BFLOAT16. Each product of two
/// elements is exact where the target has fused multiply-add. Blocks of some dozens to hundreds of terms are summed in
/// float32; their sums are added in float64 and rounded once. Which terms make a block depends on k and the dtype of
/// `out` alone, so results depend neither on the number of threads nor on the layout. The addend may be `out`; any
/// other input that is also `out` is copied first.
PORTACL_EXPORT void MatMul(exec::PlanBuilder& builder, const MatMulOperands& operands);

}  // namespace v1
}  // namespace portacl::loops::products
