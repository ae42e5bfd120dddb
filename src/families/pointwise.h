// SPDX-License-Identifier: Apache-2.0
//
// Plans of pointwise operators: the dtype to compute in, the kernel for it, scalars as its parameters.
//
//   families::PlanPointwise(plan, HardswishKernel);
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "exec/plan.h"
#include "loops/elementwise.h"

namespace portacl::families {

/// How a formula is computed with inputs of `dtype`; `run` is null where it cannot be.
struct PointwiseKernel {
  loops::LaneFunction run = nullptr;
  double ns_per_element = 1;
  aclDataType result_dtype = ACL_DT_UNDEFINED;  // undefined: that of the inputs
  uint32_t repeated = 0;                        // as of a loops::ElementwiseKernel
};
using KernelFinder = PointwiseKernel (*)(aclDataType dtype);

/// The scalars of a call in signature order, in the dtype that is computed in. What a kernel finds as its parameters.
inline constexpr int kMostScalars = 4;
template <class T>
struct Scalars {
  T values[kMostScalars];
};
template <>
struct Scalars<int64_t> {  // of every integer dtype, and of BOOL: truncated
  int64_t values[kMostScalars];
};

/// What may be done with them before the run: alpha times other, for one.
using ScalarChange = void (*)(aclDataType dtype, void* values);

/// Plans the formula over all tensors of the call, inputs in signature order; what is written in place is read, too. It
/// is computed in the common dtype of the inputs, scalars included if `promote_scalars`, or in the first wider one that
/// has a kernel: FLOAT for FLOAT16, BFLOAT16, BOOL and integers of up to 16 bits, DOUBLE for the others.
void PlanPointwise(exec::PlanBuilder& plan, KernelFinder find, bool promote_scalars = false,
                   ScalarChange change = nullptr);

}  // namespace portacl::families
