// SPDX-License-Identifier: Apache-2.0
//
// The copying engine: copies elements between views of any strides and of any dtypes that hold numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"
#include "tensor/view.h"

namespace portacl::loops::moves {

/// A box of elements that Copy moves from one operand to another. Both sides have the same index space, each with its
/// own strides of any sign. The product of the sizes fits int64.
struct Box {
  static constexpr int kMaxAxes = 2 * kMaxRank;
  static constexpr int kValue = -1;

  struct Axis {
    int64_t size;
    int64_t from;  // in elements
    int64_t to;
  };

  /// Adds an innermost axis.
  void Add(int64_t size, int64_t from_stride, int64_t to_stride) { axes[rank++] = {size, from_stride, to_stride}; }

  int from = kValue;  // number of PlanBuilder::Operand; kValue: `value` is written everywhere
  int to = 0;
  int64_t from_offset = 0;  // of index 0, in the units of View::offset
  int64_t to_offset = 0;
  int rank = 0;
  Axis axes[kMaxAxes] = {};
  alignas(16) std::byte value[16] = {};  // in the dtype of `to`
};

inline namespace v1 {

/// The box of two views; `from` is broadcast to the shape of `to`.
PORTACL_EXPORT Box BoxOf(const exec::PlanBuilder& plan, const OperandPart& from, const OperandPart& to);

/// The view that BoxOf reads, with stride 0 along axes of size 1. So parts of it can be made without a look at sizes.
PORTACL_EXPORT View PlainView(const exec::PlanBuilder& plan, int operand);

/// Plans to = from, which is broadcast to the shape of `to` (numbers of PlanBuilder::Operand). If the dtypes are the
/// same, the bits are moved. Otherwise: floats are rounded once, to nearest even. Floats become integers by truncation,
/// limited to the range, NaN becoming 0. Integers become narrower ones by keeping the low bits. BOOL becomes 0 or 1;
/// any byte other than 0 counts as 1. Complex numbers become real by their real part; reals become complex with the
/// imaginary part 0.
PORTACL_EXPORT void Copy(exec::PlanBuilder& plan, int from, int to);

/// Plans the same for boxes, in parallel. Their targets do not overlap. An input that overlaps an output is read as it
/// was before the call.
PORTACL_EXPORT void Copy(exec::PlanBuilder& plan, std::span<const Box> boxes);

}  // namespace v1

}  // namespace portacl::loops::moves
