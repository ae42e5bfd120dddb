// SPDX-License-Identifier: Apache-2.0
//
// The engine for reductions along axes: one result from all elements that share their positions along the other axes.
//
//   ReduceAxes(plan, self, {out}, axes, reducer, parameters);
//
// The order of elements depends on shapes, strides and dtypes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "acl/acl_base_rt.h"
#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::reductions {

inline constexpr int kMaxPlanes = 3;

/// Elements to be added to states. Columns are contiguous; rows are `row_stride` apart. A state has one value in each
/// plane.
struct ReduceTile {
  int64_t rows;
  int64_t columns;
  const std::byte* in;
  int64_t row_stride;  // in bytes
  int64_t first;       // position of the first element along the reduced axis, if there is a single such axis
  std::byte* planes[kMaxPlanes];
  int64_t prefetch_bytes;  // the distance at which rows are prefetched; 0 if the caches hold the elements
  const void* parameters;
};

/// `n` contiguous states.
struct ReduceStates {
  int64_t n;
  std::byte* planes[kMaxPlanes];
  int64_t count;  // elements per state
  const void* parameters;
};

/// How elements become results. All functions are called in the order of the elements; the states of the pieces of a
/// long axis are merged in that order, too.
struct Reducer {
  void (*start)(const ReduceStates& states);
  void (*add_rows)(const ReduceTile& tile);     // adds row i to state i
  void (*add_columns)(const ReduceTile& tile);  // adds column i to state i
  void (*merge)(const ReduceStates& states, std::byte* const* others);
  void (*finish)(const ReduceStates& states, std::byte* const* results);
  aclDataType dtype;                          // dtype of elements
  aclDataType result_dtype[kMaxPlanes] = {};  // dtype of the contiguous results, before they are converted
  int first_result = 0;                       // index of the result that the first output takes
  int planes = 1;
  int64_t plane_bytes[kMaxPlanes] = {8, 8, 8};
  aclDataType cast = ACL_DT_UNDEFINED;  // elements are converted to this dtype first
  double ns_per_element = 0.2;          // arithmetic alone, on one core, operands in the first-level cache
};

inline namespace v1 {

/// Plans the reduction of `self` along `axes`, one bit each. Each output has the other axes of `self`; the reduced axes
/// are missing or have size 1. Any strides.
PORTACL_EXPORT void ReduceAxes(exec::PlanBuilder& builder, int self, std::initializer_list<int> outputs, uint32_t axes,
                               const Reducer& reducer, const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops::reductions
