// SPDX-License-Identifier: Apache-2.0
//
// Writes, adds or otherwise combines elements where a tensor of indices says. Indices are data, so they are tested in
// the run. If one names nothing, its elements are skipped, and the run fails with 507015 and a message that names the
// first such index. Of equal indices the last one counts, or all are combined in row-major order of the indices:
// results do not depend on the number of threads.
#pragma once

#include <cstddef>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/moves/combine.h"
#include "loops/moves/gather.h"

namespace portacl::loops::moves {

/// What is scattered: operands, as numbers of PlanBuilder::Operand, and how.
struct Scattered {
  int self = kNothing;  // is copied to `out` first; kNothing: out stays where no index names it
  int index = 0;
  int source = kNothing;  // kNothing: `value` everywhere
  int out = 0;
  Combine combine = Combine::kReplace;
  bool includes_self = true;  // what was there is the first of the combined elements
  bool clears = false;        // out begins as zeros
  bool wraps = false;         // negative indices count from the end
  bool ignores = false;       // indices that name nothing are no error
  int64_t dropped = -1;       // elements of this index are left out
  Factor factor = {};         // of what is added
  alignas(16) std::byte value[16] = {};
};

inline namespace v1 {

/// Plans out[..., index[..., k, ...], ...] = source[..., k, ...] along `dim`. Source may be larger than index. The axis
/// of a tensor of rank 0 counts.
PORTACL_EXPORT void ScatterElements(exec::PlanBuilder& plan, const Scattered& what, int dim);

/// Plans out[..., index[k], ...] = source[..., k, ...] along `dim`, where k counts the elements of `index` in row-major
/// order.
PORTACL_EXPORT void ScatterRows(exec::PlanBuilder& plan, const Scattered& what, int dim);

/// Plans out[index[k], ...] = source[k, ...]: the last axis of `index` has one number for each of the first `components`
/// axes of out; k counts along its other axes, and along the first axes of source, of which there may be more or fewer.
PORTACL_EXPORT void ScatterNamed(exec::PlanBuilder& plan, const Scattered& what, int components);

/// The same, but each element of `index` is a row-major position in the first `axes` axes of out. The index may have any
/// real dtype. Where rows are added or averaged, source and out may have different floating dtypes, none DOUBLE, if out
/// is cleared and not included.
PORTACL_EXPORT void ScatterFlat(exec::PlanBuilder& plan, const Scattered& what, int axes);

/// Plans out[b, ..., index[b] + j, ...] = source[b, ..., j, ...] along `axis`. If index has two axes, its row k holds the
/// b and the first j of source[k].
PORTACL_EXPORT void ScatterSlices(exec::PlanBuilder& plan, const Scattered& what, int axis);

/// Plans out_b[.., index[b] + j, ..] = source[b, .., j, ..] along `axis` of each tensor out_b of a list, whose operands
/// begin with `first`, unless mask[b] is 0; `mask` may be kNothing.
PORTACL_EXPORT void ScatterSlicesOfEach(exec::PlanBuilder& plan, int index, int source, int mask, int first, int axis);

/// Plans out[.., r, ..] = the sum of the next index[r] elements of source along `axis`; a single element of `index` holds
/// for all r. The elements of out, which may have another shape, are those of such a result in row-major order, and
/// become 0 first. The run fails if a number is negative, or if their sum is not the size of source along the axis.
PORTACL_EXPORT void ScatterRuns(exec::PlanBuilder& plan, const Scattered& what, int axis);

}  // namespace v1
}  // namespace portacl::loops::moves
