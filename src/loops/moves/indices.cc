// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/indices.h"

#include "acl/error_codes/rt_error_codes.h"
#include "base/status.h"

namespace portacl::loops::moves {

Indices::Indices(const exec::PlanBuilder& plan, int index, int64_t end)
    : api(plan.schema().api),
      name("index"),
      limit(end),
      operand(index),
      is_wide(plan.OperandView(index).dtype == ACL_INT64),
      places(plan.OperandView(index), 0, plan.OperandView(index).rank) {
  for (const int argument : plan.schema().tensors) {
    if (plan.Operand(argument) == index) name = plan.schema().args[static_cast<size_t>(argument)].name;
  }
}

int32_t Indices::Refuse(const std::byte* first) const {
  int64_t position = 0;
  while (position + 1 < places.Count() && Holds(Named(ReadIndex(first + places.Of(position), is_wide)))) ++position;
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument '{}': expected elements from {} to {}, got {} at {}", api,
               name, -from_end, limit - 1, ReadIndex(first + places.Of(position), is_wide), position);
}

int32_t Names::Refuse(const std::byte* first) const {
  if (is_flat) return indices.Refuse(first);
  for (int64_t position = 0; position < indices.places.Count(); ++position) {
    const int64_t size = sizes[position % axes], low = wraps ? -size : 0;
    const int64_t i = ReadIndex(first + indices.places.Of(position), indices.is_wide);
    if (i < low || i >= size)
      return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument '{}': expected elements from {} to {}, got {} at {}",
                   indices.api, indices.name, low, size - 1, i, position);
  }
  return 0;
}

int32_t RefuseRepeat(const Indices& counts, int64_t number, int64_t position, int64_t size, const char* what) {
  if (number < 0) {
    return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'repeats': expected no negative number, got {} at {}",
                 counts.api, number, position);
  }
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'repeats': expected a sum of {} ({}), got more", counts.api,
               size, what);
}
int32_t RefuseSum(const Indices& counts, int64_t sum, int64_t size, const char* what) {
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'repeats': expected a sum of {} ({}), got {}", counts.api,
               size, what, sum);
}

}  // namespace portacl::loops::moves
