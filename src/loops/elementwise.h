// SPDX-License-Identifier: Apache-2.0
//
// The elementwise engine: one result per element of the (broadcast) operands.
//
//   loops::Elementwise(plan, {x, dy, out}, {.run = lanes, .ns_per_element = 0.3}, parameters);
//   loops::Elementwise(plan, {{x, left_half}, {x, right_half}, {out, view}}, ...);        // parts of operands
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tile.h"
#include "tensor/view.h"

namespace portacl::loops {

inline constexpr size_t kMaxParameterBytes = 64;

struct ElementwiseKernel {
  LaneFunction run;
  double ns_per_element;  // arithmetic alone, one core, operands in the first-level cache
  int outputs = 1;
  uint32_t repeated = 0;     // bit i: `run` takes input i with column stride 0 too, one element for a whole row
  bool in_float = false;     // `run` works in FLOAT: operands of other float dtypes are converted on their way
  bool any_strides = false;  // `run` takes operands as they lie
};

/// Some of an operand's elements, as a tensor of their own. The view is made from PlanBuilder::OperandView by leaving
/// out what does not belong to it: its offset counts from the same base.
struct OperandPart {
  int operand;
  View view;
};

inline namespace v1 {

/// Plans `kernel` over operands (numbers of PlanBuilder::Operand: inputs, then outputs, which have one shape). Inputs
/// are broadcast to that shape. Any strides; results do not depend on the number of threads. The `parameters` are
/// copied and handed to each tile.
PORTACL_LEND void Elementwise(exec::PlanBuilder& plan, std::initializer_list<int> operands,
                              const ElementwiseKernel& kernel, const void* parameters, size_t parameter_bytes);

/// The same over parts of operands, which may be several of one. An output's parts may be exactly those of an input:
/// lane code reads all inputs of an element before it writes any output of it.
PORTACL_LEND void Elementwise(exec::PlanBuilder& plan, std::initializer_list<OperandPart> operands,
                              const ElementwiseKernel& kernel, const void* parameters, size_t parameter_bytes);

}  // namespace v1

template <class P>
void Elementwise(exec::PlanBuilder& plan, std::initializer_list<int> operands, const ElementwiseKernel& kernel,
                 const P& parameters) {
  static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= kMaxParameterBytes && alignof(P) <= 16);
  Elementwise(plan, operands, kernel, &parameters, sizeof(P));
}

/// For lane code without parameters.
inline void Elementwise(exec::PlanBuilder& plan, std::initializer_list<OperandPart> operands,
                        const ElementwiseKernel& kernel) {
  Elementwise(plan, operands, kernel, nullptr, 0);
}

}  // namespace portacl::loops
