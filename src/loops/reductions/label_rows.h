// SPDX-License-Identifier: Apache-2.0
//
// The engine of losses with labels: each row of classes has one label, which names the class that counts, and each
// class has a weight.
//
//   LabelLoss(plan, {.classes = self, .class_axis = 1, .target = target, .weight = weight, .ignored = -100}, ...);
//
// Sums are in float64, in an order that depends on shapes, strides and dtypes alone. A label that is no class and not
// ignored counts as ignored, and the run fails with 507015.
#pragma once

#include <cstdint>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::reductions {

/// Operands are numbers of PlanBuilder::Operand. All but target are FLOAT, FLOAT16 or BFLOAT16.
struct LabelRows {
  int classes;  // has the classes along `class_axis`; without that axis, it has the shape of target
  int class_axis;
  int target;       // INT64, INT32 or UINT8
  int weight;       // an element for each class
  int64_t ignored;  // label of rows that do not count
};

enum class LabelReduction : uint8_t { kNone, kMean, kSum };

inline namespace v1 {

/// Plans out = -weight[label] * classes[label], rounded to float32, of each row; or the sum of these, for a mean divided
/// by the sum of the weights, which `total` receives. Without reduction `total` is 0.
PORTACL_EXPORT void LabelLoss(exec::PlanBuilder& plan, const LabelRows& rows, LabelReduction reduction, int out,
                              int total);

/// Plans classes[label] = -weight[label] * grad of each row, for a mean divided by `total`, and 0 elsewhere. `grad` has
/// an element for each label, or one if they are reduced.
PORTACL_EXPORT void LabelGradient(exec::PlanBuilder& plan, const LabelRows& rows, LabelReduction reduction, int grad,
                                  int total);

}  // namespace v1
}  // namespace portacl::loops::reductions
