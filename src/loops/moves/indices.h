// SPDX-License-Identifier: Apache-2.0
//
// Tensors of indices, as a run reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "exec/plan.h"
#include "tensor/view.h"

namespace portacl::loops::moves {

/// Reads an INT32 or INT64 element.
inline int64_t ReadIndex(const std::byte* element, bool is_wide) {
  if (is_wide) {
    int64_t value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  int32_t value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

/// The byte offsets of a tensor's elements, by their row-major position.
struct Places {
  Places() = default;
  Places(const View& view, int first_axis, int end_axis) : rank(end_axis - first_axis) {
    const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
    for (int axis = 0; axis < rank; ++axis) {
      shape[axis] = view.shape[first_axis + axis];
      strides[axis] = view.step(first_axis + axis) * bytes;
    }
  }
  int64_t Count() const {
    int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis) count *= shape[axis];
    return count;
  }
  int64_t Of(int64_t number) const {
    int64_t place = 0;
    for (int axis = rank; axis-- > 0; number /= shape[axis]) place += number % shape[axis] * strides[axis];
    return place;
  }

  int rank = 0;
  int64_t shape[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
};

/// An operand that holds indices.
struct Indices {
  Indices(const exec::PlanBuilder& plan, int index, int64_t end)
      : api(plan.schema().api),
        limit(end),
        operand(index),
        is_wide(plan.OperandView(index).dtype == ACL_INT64),
        places(plan.OperandView(index), 0, plan.OperandView(index).rank) {}

  bool Holds(int64_t value) const { return value >= 0 && value < limit; }

  /// Reports the first index that is out of range, and returns the code with which the run fails.
  int32_t Refuse(const exec::RunContext& context) const;

  const char* api;
  int64_t limit;  // indices are less than this
  int operand;
  bool is_wide;
  Places places;
};

}  // namespace portacl::loops::moves
