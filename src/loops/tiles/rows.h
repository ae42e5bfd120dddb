// SPDX-License-Identifier: Apache-2.0
//
// The row engine: lane code that needs whole rows, such as sums over the last axis, or whole columns.
//
//   loops::Rows(plan, {x, mask, y}, {.run = lanes, .ns_per_element = 0.3, .scratch_bytes = 4 * columns}, parameters);
//   loops::Columns(plan, {x, y}, axis, {.run = lanes, .ns_per_element = 0.3, .columns = 256}, parameters);
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "acl/acl_base_rt.h"
#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"
#include "loops/tiles/tile.h"
#include "tensor/view.h"

namespace portacl::loops {

/// The view with its axis `axis` behind the others, so that rows go along it. One element has an axis, too.
inline View RowsAlong(const View& view, int axis) {
  View result = view;
  if (view.rank == 0) result.rank = 1, result.shape[0] = result.strides[0] = 1;
  std::rotate(result.shape + axis, result.shape + axis + 1, result.shape + result.rank);
  std::rotate(result.strides + axis, result.strides + axis + 1, result.strides + result.rank);
  return result;
}

struct RowKernel {
  LaneFunction run;
  double ns_per_element;  // arithmetic alone, one core, operands in the first-level cache
  int outputs = 1;
  int64_t scratch_bytes = 0;  // that `run` finds at Tile::scratch, aligned to 64 bytes; nobody else's meanwhile
  int64_t columns = 0;        // of Columns(): the most that a tile has
  int64_t rows = 1;           // of Rows(): that a tile has, or a multiple of it, where there are as many
  uint32_t repeated = 0;      // bit i: `run` takes operand i with column stride 0 too, one element of each row
  // As of an ElementwiseKernel: operands of other dtypes are converted on their way.
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclDataType result_dtype = ACL_DT_UNDEFINED;
};

inline namespace v1 {

/// Plans `kernel` over operands: inputs, then outputs, which have one shape. A row is the last axis of that shape, and
/// inputs are broadcast to it. Any strides. A tile has whole rows, whose columns are contiguous in every operand; more
/// than 16 of them come in multiples of 16, but for the last ones. An output may be exactly one of the inputs: lane
/// code reads all of a row before it writes any of it, or element by element. Results do not depend on the number of
/// threads.
PORTACL_EXPORT void Rows(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands,
                         const RowKernel& kernel, const Parameters& parameters = {});

/// Along another axis of the shape than the last: a tile has whole columns, which are that axis, and enough neighbours of
/// them that its rows, contiguous as before, keep registers busy.
PORTACL_EXPORT void Columns(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands, int axis,
                            const RowKernel& kernel, const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops
