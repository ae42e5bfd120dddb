// SPDX-License-Identifier: Apache-2.0
//
// The elementwise engine: one result per element of the (broadcast) operands.
//
//   loops::Elementwise(plan, {x, dy, out}, {.run = lanes, .ns_per_element = 0.3}, parameters);
//   loops::Elementwise(plan, {{x, left_half}, {x, right_half}, out}, ...);        // parts of operands
#pragma once

#include <initializer_list>
#include <span>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"
#include "loops/tiles/tile.h"

namespace portacl::loops {

struct ElementwiseKernel {
  LaneFunction run;
  double ns_per_element;  // arithmetic alone, on one core, operands in the first-level cache
  int outputs = 1;
  uint32_t repeated = 0;  // bit i: `run` takes input i with column stride 0 too, one element for a whole row
  // The dtype that `run` reads and, unless `result_dtype` differs, writes; operands of other dtypes are converted on
  // the way. If undefined, operands are not converted.
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclDataType result_dtype = ACL_DT_UNDEFINED;
  bool any_strides = false;  // `run` takes operands of any strides
};

inline namespace v1 {

/// Plans `kernel` over operands: inputs, then outputs, which have one shape. Inputs are broadcast to that shape. Any
/// strides; results do not depend on the number of threads. An output may be exactly one of the inputs: lane code reads
/// all inputs of an element before it writes any output of it.
PORTACL_EXPORT void Elementwise(exec::PlanBuilder& builder, std::span<const OperandPart> operands,
                                const ElementwiseKernel& kernel, const Parameters& parameters = {});
inline void Elementwise(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands,
                        const ElementwiseKernel& kernel, const Parameters& parameters = {}) {
  Elementwise(builder, std::span<const OperandPart>(operands), kernel, parameters);
}

/// Plans several calls as one. `operands` has `each` operands per call: inputs, then an output. `parameters` are shared
/// by all calls.
PORTACL_EXPORT void ElementwiseCalls(exec::PlanBuilder& builder, std::span<const int> operands, int each,
                                     const ElementwiseKernel& kernel, const Parameters& parameters = {});

}  // namespace v1
}  // namespace portacl::loops
