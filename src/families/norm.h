// SPDX-License-Identifier: Apache-2.0
//
// Operands of plans of normalisations, see loops/reductions/normalize.h.
#pragma once

#include "exec/arguments.h"
#include "exec/plan.h"
#include "loops/reductions/normalize.h"

namespace portacl::families {

/// Rows of all of a tensor whose axes are those of the shape.
loops::reductions::NormRows RowsOf(const exec::PlanBuilder& plan, int argument);

/// A tensor with the inner axes alone: each row is all of it. Its axes may have others of size 1 before
/// them.
loops::reductions::NormRows RepeatedRowsOf(const exec::PlanBuilder& plan, int argument,
                                           const loops::reductions::NormShape& shape);

/// Axes of a tensor, the last `inner` of them those of rows.
loops::reductions::NormShape NormShapeOf(const View& view, int inner);

/// The number of a tensor among the operands; loops::reductions::kNoOperand where it is absent.
int OperandOf(const exec::PlanBuilder& plan, int argument);

/// As lane code takes it: (float) eps, and a NaN without a payload.
float EpsOf(double eps);

/// Rows that repeat, and statistics that are inputs, are read as they were, whatever is written meanwhile.
void ReadParametersLate(exec::PlanBuilder& plan, const loops::reductions::NormOperands& operands);

/// The attribute outputMask has three values.
aclnnStatus CheckOutputMask(const exec::Arguments& arguments, const exec::Step& step);
/// The outputs, the last three arguments, that outputMask selects are given.
aclnnStatus CheckSelected(const exec::Arguments& arguments, const exec::Step& step);
consteval exec::Step MaskHasThree() { return exec::Custom("outputMask: three values", CheckOutputMask); }
consteval exec::Step SelectedAreGiven() {
  return exec::Custom("outputs that outputMask selects: not NULL", CheckSelected).Status(exec::kNullPointer);
}

/// The number of output `place` of three where outputMask selects it; loops::reductions::kNoOperand otherwise.
int SelectedOperand(const exec::PlanBuilder& plan, int place);

}  // namespace portacl::families
