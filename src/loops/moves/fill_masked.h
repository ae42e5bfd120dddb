// SPDX-License-Identifier: Apache-2.0
//
// Writes one value where a mask says.
#pragma once

#include "acl/acl_base.h"
#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::moves {
inline namespace v1 {

/// Plans that the elements of `self`, of up to 8 bytes, where `mask`, which is broadcast to its shape, is not zero
/// become `value`, converted to their dtype. Of a tensor (a number of PlanBuilder::Operand) its first element counts.
PORTACL_EXPORT void FillMasked(exec::PlanBuilder& plan, int self, const OperandPart& mask, const aclScalar& value);
PORTACL_EXPORT void FillMasked(exec::PlanBuilder& plan, int self, const OperandPart& mask, int value);

}  // namespace v1
}  // namespace portacl::loops::moves
