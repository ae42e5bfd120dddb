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

/// The view with axis `axis` moved to the end, so that rows run along it. A view of rank 0 gets one axis.
inline View RowsAlong(const View& view, int axis) {
  View result = view;
  if (view.rank == 0) result.rank = 1, result.shape[0] = result.strides[0] = 1;
  std::rotate(result.shape + axis, result.shape + axis + 1, result.shape + result.rank);
  std::rotate(result.strides + axis, result.strides + axis + 1, result.strides + result.rank);
  return result;
}

struct RowKernel {
  LaneFunction run;
  double ns_per_element;  // arithmetic alone, on one core, operands in the first-level cache
  int outputs = 1;
  int64_t scratch_bytes = 0;  // size of Tile::scratch, aligned to 64 bytes, exclusive to the call
  int64_t columns = 0;        // for Columns(): the most columns of a tile
  int64_t rows = 1;           // for Rows(): tiles have a multiple of this number of rows, where there are as many
  uint32_t repeated = 0;      // bit i: operand i may have column stride 0, one element per row
  // As in ElementwiseKernel: operands of other dtypes are converted on the way.
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclDataType result_dtype = ACL_DT_UNDEFINED;
};

inline namespace v1 {

/// Plans `kernel` over operands: inputs, then outputs, which have one shape. A row is the last axis of that shape, and
/// inputs are broadcast to it. Any strides. A tile has whole rows, whose columns are contiguous in every operand. Tiles
/// of more than 16 rows have a multiple of 16, except the last. An output may be exactly one of the inputs: lane code
/// reads a whole row before it writes any of it, or works element by element. Results do not depend on the number of
/// threads.
PORTACL_EXPORT void Rows(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands,
                         const RowKernel& kernel, const Parameters& parameters = {});

/// The same along the axis `axis` of the shape, which is not the last. A tile has whole columns along that axis, and
/// enough neighbouring columns to use whole registers; its rows are contiguous, as above.
PORTACL_EXPORT void Columns(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands, int axis,
                            const RowKernel& kernel, const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops
