// SPDX-License-Identifier: Apache-2.0
//
// Operands of plans of normalisations, see loops/reductions/normalize.h.
#pragma once

#include "exec/arguments.h"
#include "exec/plan.h"
#include "loops/reductions/normalize.h"

namespace portacl::families {

/// The rows of a tensor that has all axes of the shape.
loops::reductions::NormRows RowsOf(const exec::PlanBuilder& plan, int argument);

/// A tensor that has the inner axes alone, so that every row is the whole tensor. It may have axes of size 1 before
/// them.
loops::reductions::NormRows RepeatedRowsOf(const exec::PlanBuilder& plan, int argument,
                                           const loops::reductions::NormShape& shape);

/// The shape of a tensor whose last `inner` axes are those within a row.
loops::reductions::NormShape NormShapeOf(const View& view, int inner);

/// The operand number of a tensor, or loops::kNoOperand if it is absent.
int OperandOf(const exec::PlanBuilder& plan, int argument);

/// eps as lane code needs it: (float) eps, and NaN without a payload.
float EpsOf(double eps);

/// Makes sure that repeated rows, and statistics that are inputs, are read with their old values, whatever is
/// overwritten.
void KeepOldParameters(exec::PlanBuilder& plan, const loops::reductions::NormOperands& operands);

/// Checks that the attribute outputMask has three values.
aclnnStatus CheckOutputMask(const exec::Arguments& arguments, const exec::Step& step);
/// Checks that the outputs that outputMask selects, among the last three arguments, are not null.
aclnnStatus CheckSelected(const exec::Arguments& arguments, const exec::Step& step);
consteval exec::Step MaskHasThree() { return exec::Custom("outputMask: three values", CheckOutputMask); }
consteval exec::Step SelectedAreGiven() {
  return exec::Custom("outputs that outputMask selects: not NULL", CheckSelected).Status(exec::kNullPointer);
}

/// The operand number of output `place` of three if outputMask selects it, or loops::kNoOperand.
int SelectedOperand(const exec::PlanBuilder& plan, int place);

}  // namespace portacl::families
