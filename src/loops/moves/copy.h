// SPDX-License-Identifier: Apache-2.0
//
// The copying engine: elements from one view to another, of any strides and of any dtypes that hold numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"
#include "tensor/view.h"

namespace portacl::loops::moves {

/// A box of elements that Copy moves from one operand to another. The elements of both are named by the same index, with
/// strides of their own, of any sign; sizes multiply to at most int64.
struct Box {
  static constexpr int kMaxAxes = 2 * kMaxRank;
  static constexpr int kValue = -1;

  struct Axis {
    int64_t size;
    int64_t from;  // elements from one to the next
    int64_t to;
  };

  /// Adds an axis inside those that are there.
  void Add(int64_t size, int64_t from_stride, int64_t to_stride) { axes[rank++] = {size, from_stride, to_stride}; }

  int from = kValue;  // number of PlanBuilder::Operand; kValue: `value` is written everywhere
  int to = 0;
  int64_t from_offset = 0;  // of index 0, as View::offset
  int64_t to_offset = 0;
  int rank = 0;
  Axis axes[kMaxAxes] = {};
  alignas(16) std::byte value[16] = {};  // in the dtype of `to`
};

inline namespace v1 {

/// The box of two views; `from` is broadcast to the shape of `to`.
PORTACL_EXPORT Box BoxOf(const exec::PlanBuilder& plan, const OperandPart& from, const OperandPart& to);

/// What BoxOf reads, with stride 0 along axes of one element: parts can then be made of it without a look at sizes.
PORTACL_EXPORT View PlainView(const exec::PlanBuilder& plan, int operand);

/// Plans to = from, which is broadcast to the shape of `to` (numbers of PlanBuilder::Operand). The bits are moved where
/// the dtypes are the same. Otherwise floats are rounded once, to nearest even; become integers by truncation, limited
/// to their range, NaN to 0; integers become narrower ones by their low bits; BOOL is 0 or 1, of any byte that is not
/// 0; of complex numbers reals take the real part, and the other way round the imaginary part is 0.
PORTACL_EXPORT void Copy(exec::PlanBuilder& plan, int from, int to);

/// The same for boxes, in parallel. They do not overlap in what they write. An input that an output overlaps is read as
/// it was before.
PORTACL_EXPORT void Copy(exec::PlanBuilder& plan, std::span<const Box> boxes);

}  // namespace v1

}  // namespace portacl::loops::moves
