// SPDX-License-Identifier: Apache-2.0
//
// Fills runs of rows, which the host names, with one value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {

/// Consecutive rows along an axis.
struct RowRun {
  int64_t begin;
  int64_t size;
};

inline namespace v1 {

/// Plans out = self, of the same shape and dtype, but with the element `value` in the rows along `dim` that `runs` name
/// (numbers of PlanBuilder::Operand). Runs are in ascending order and do not touch. Where `self` is `out`, the other
/// rows stay.
PORTACL_EXPORT void FillRuns(exec::PlanBuilder& plan, int self, int out, int dim, std::span<const RowRun> runs,
                             const std::byte* value);

}  // namespace v1
}  // namespace portacl::loops::moves
