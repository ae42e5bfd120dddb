// SPDX-License-Identifier: Apache-2.0
//
// Triangles and diagonals of matrices.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {
inline namespace v1 {

enum class Side : uint8_t { kLower, kUpper };

/// Plans out = `self` with 0 on one side of a diagonal of its last two axes. Element (i, j) is kept where j <= i +
/// diagonal (kLower) or j >= i + diagonal (kUpper). `self` and `out`, numbers of PlanBuilder::Operand, may be equal.
PORTACL_EXPORT void Triangle(exec::PlanBuilder& plan, int self, int out, int64_t diagonal, Side side);

/// Plans out = the matrix with 1 on its diagonal and 0 elsewhere.
PORTACL_EXPORT void Identity(exec::PlanBuilder& plan, int out);

}  // namespace v1
}  // namespace portacl::loops::moves
