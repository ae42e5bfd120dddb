// SPDX-License-Identifier: Apache-2.0
//
// Several elementwise calls as one, and formulas that take some operands in other ways.
//
//   loops::ElementwiseCalls(plan, {x, scalar, out}, 3, {{.run = lanes, .ns_per_element = 1}, kScalar}, parameters);
//   loops::ElementwiseOfNumbers(plan, {grad, var}, {step}, {{{.run = lanes, .ns_per_element = 1}, 0, kVar}, Prepare},
//                               parameters);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/elementwise.h"
#include "loops/tiles/operands.h"

namespace portacl::loops {

struct CallsKernel : ElementwiseKernel {
  uint32_t as_is = 0;    // bit i: of input i, `run` gets element 0 alone, in the dtype that it has
  uint32_t updated = 0;  // bit i: operand i, an output, is read, too
  // Takes element 0 of the first input that is as it is. Unless it returns 0, that is the error of the run, which
  // writes nothing.
  int32_t (*check)(const std::byte* element) = nullptr;
};

inline constexpr size_t kMaxNumbers = 8;

struct NumbersKernel : CallsKernel {
  // Computes the parameters of `run` from those of the plan and element 0 of each number, before anything is written.
  void (*prepare)(const void* parameters, const std::byte* const* numbers, void* prepared);
};

inline namespace v1 {

/// Plans several calls as one. `operands` has `each` operands per call: inputs, then outputs. `parameters` has those of
/// each call, or one for all.
PORTACL_EXPORT void ElementwiseCalls(exec::PlanBuilder& builder, std::span<const int> operands, int each,
                                     const CallsKernel& kernel, std::span<const Parameters> parameters);

/// Plans one call, some of whose parameters are numbers in memory: up to kMaxNumbers operands of one element.
PORTACL_EXPORT void ElementwiseOfNumbers(exec::PlanBuilder& builder, std::span<const OperandPart> operands,
                                         std::span<const int> numbers, const NumbersKernel& kernel,
                                         const Parameters& parameters);

}  // namespace v1
}  // namespace portacl::loops
