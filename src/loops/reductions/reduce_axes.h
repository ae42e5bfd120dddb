// SPDX-License-Identifier: Apache-2.0
//
// The engine of reductions along axes: one result from all elements that share the other axes.
//
//   ReduceAxes(plan, self, {out}, axes, reducer, parameters);
//
// Elements are taken in an order that follows from shapes, strides and dtypes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "acl/acl_base_rt.h"
#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::reductions {

inline constexpr int kMaxPlanes = 2;

/// Elements on their way into states: rows follow each other, columns are contiguous. A state is one number in each
/// plane.
struct ReduceTile {
  int64_t rows;
  int64_t columns;
  const std::byte* in;
  int64_t row_stride;  // bytes
  int64_t first;       // place along the reduced axis of the first element, where there is one such axis
  std::byte* planes[kMaxPlanes];
  const void* parameters;
};

/// `n` states, one after the other.
struct ReduceStates {
  int64_t n;
  std::byte* planes[kMaxPlanes];
  int64_t count;  // elements of each
  const void* parameters;
};

/// How elements become results. All functions are called in the order of the elements; the states of the pieces of a
/// long axis are merged in that order, too.
struct Reducer {
  void (*start)(const ReduceStates& states);
  void (*add_rows)(const ReduceTile& tile);     // row i to state i
  void (*add_columns)(const ReduceTile& tile);  // column i to state i
  void (*merge)(const ReduceStates& states, std::byte* const* others);
  void (*finish)(const ReduceStates& states, std::byte* const* results);
  aclDataType dtype;                          // of elements
  aclDataType result_dtype[kMaxPlanes] = {};  // of results, which follow each other; then they are converted
  int first_result = 0;                       // that the first output takes
  int planes = 1;
  int64_t plane_bytes[kMaxPlanes] = {8, 8};
  aclDataType cast = ACL_DT_UNDEFINED;  // elements are converted to this first
  double ns_per_element = 0.2;          // arithmetic alone, one core, operands in the first-level cache
};

inline namespace v1 {

/// Plans the reduction of `self` along `axes`, a bit each. Each output has the other axes of `self`, with or without 1
/// in place of those. Any strides.
PORTACL_EXPORT void ReduceAxes(exec::PlanBuilder& builder, int self, std::initializer_list<int> outputs, uint32_t axes,
                               const Reducer& reducer, const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops::reductions
