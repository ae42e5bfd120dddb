// SPDX-License-Identifier: Apache-2.0
//
// One value in runs of rows that the host names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/visibility.h"
#include "exec/plan.h"

namespace portacl::loops::moves {

/// Rows along an axis that follow each other.
struct RowRun {
  int64_t begin;
  int64_t size;
};

inline namespace v1 {

/// Plans out = self, of the same shape and dtype, with the element `value` in the rows along `dim` that `runs` name, in
/// ascending order and apart (numbers of PlanBuilder::Operand). Where `self` is `out`, the other rows stay.
PORTACL_EXPORT void FillRuns(exec::PlanBuilder& plan, int self, int out, int dim, std::span<const RowRun> runs,
                             const std::byte* value);

}  // namespace v1
}  // namespace portacl::loops::moves
