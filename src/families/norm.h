// SPDX-License-Identifier: Apache-2.0
//
// Operands of plans of normalisations, see loops/normalize.h.
#pragma once

#include "exec/plan.h"
#include "loops/normalize.h"

namespace portacl::families {

/// Rows of all of a tensor whose axes are those of the shape.
loops::NormRows RowsOf(const exec::PlanBuilder& plan, int argument);

/// The same of a tensor with the inner axes alone: each row is all of it. Its axes may have others of size 1 before
/// them.
loops::NormRows RepeatedRowsOf(const exec::PlanBuilder& plan, int argument, const loops::NormShape& shape);

/// Axes of a tensor, the last `inner` of them those of rows.
loops::NormShape NormShapeOf(const View& view, int inner);

/// The number of a tensor among the operands; loops::kNoOperand where it is absent.
int OperandOf(const exec::PlanBuilder& plan, int argument);

/// As lane code takes it: (float) eps, and a NaN without a payload.
float EpsOf(double eps);

}  // namespace portacl::families
