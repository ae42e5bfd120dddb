// SPDX-License-Identifier: Apache-2.0
//
// The elementwise engine: one result per element of the (broadcast) operands.
//
//   loops::Elementwise(plan, {x, dy, out}, {.run = lanes, .ns_per_element = 0.3}, parameters);
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tile.h"

namespace portacl::loops {

inline constexpr size_t kMaxParameterBytes = 64;

struct ElementwiseKernel {
  LaneFunction run;
  double ns_per_element;  // arithmetic alone, one core, operands in the first-level cache
  int outputs = 1;
};

inline namespace v1 {

/// Plans `kernel` over operands (numbers of PlanBuilder::Operand: inputs, then outputs, which have one shape). Inputs
/// are broadcast to that shape. Any strides; results do not depend on the number of threads. The `parameters` are
/// copied and handed to each tile.
PORTACL_LEND void Elementwise(exec::PlanBuilder& plan, std::initializer_list<int> operands,
                              const ElementwiseKernel& kernel, const void* parameters, size_t parameter_bytes);

}  // namespace v1

template <class P>
void Elementwise(exec::PlanBuilder& plan, std::initializer_list<int> operands, const ElementwiseKernel& kernel,
                 const P& parameters) {
  static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= kMaxParameterBytes && alignof(P) <= 16);
  Elementwise(plan, operands, kernel, &parameters, sizeof(P));
}

}  // namespace portacl::loops
