// SPDX-License-Identifier: Apache-2.0
//
// Plans of pointwise operators: the dtype to compute in, the kernel for it, scalars as its parameters.
//
//   families::PlanPointwise(plan, HardswishKernel);
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>

#include "acl/acl_base_rt.h"
#include "exec/plan.h"
#include "loops/elementwise.h"

namespace portacl::families {

/// How a formula is computed with inputs of `dtype`; `run` is null where it cannot be.
struct PointwiseKernel {
  loops::LaneFunction run = nullptr;
  double ns_per_element = 1;
  aclDataType dtype = ACL_DT_UNDEFINED;         // that `run` takes; undefined: the one that was asked for
  aclDataType result_dtype = ACL_DT_UNDEFINED;  // undefined: the same
  uint32_t repeated = 0;                        // as of a loops::ElementwiseKernel
  loops::LaneFunction same = nullptr;           // `run` with results of the dtype that it takes, where there is such
  uint32_t long_scalars = 0;                    // 16-bit results by scalars with such bits take more than FLOAT
};
using KernelFinder = PointwiseKernel (*)(aclDataType dtype);

/// The scalars of a call, and attributes of floating types and int64_t, in signature order and in the dtype that is
/// computed in. What a kernel finds as its parameters.
inline constexpr int kMostScalars = 4;
template <class T>
struct Scalars {
  T values[kMostScalars];
};
template <>
struct Scalars<int64_t> {  // of every integer dtype, and of BOOL: truncated; 0 for attributes of floating types
  int64_t values[kMostScalars];
};

/// Which bits of FLOAT make a scalar a long one: the results by it, rounded to float32, are not always nearest when they
/// are rounded to 16 bits again. Products and quotients by up to 8 bits are right even where they are subnormal numbers
/// of BFLOAT16, which end 16 bits before those of float32. The sum of a number and a product is right by powers of two
/// alone: 3 * 683 lies in the middle between two numbers of FLOAT16, and a small summand, which tells them apart, is lost.
inline constexpr uint32_t kLongFactors = (uint32_t{1} << 16) - 1;
inline constexpr uint32_t kLongWithSums = (uint32_t{1} << 23) - 1;
inline bool HasLongScalars(const Scalars<float>& scalars, uint32_t bits) {
  return std::ranges::any_of(scalars.values,
                             [=](float scalar) { return (std::bit_cast<uint32_t>(scalar) & bits) != 0; });
}

/// What becomes of them before they are rounded to it: alpha times other, for one.
struct ScalarChange {
  void (*real)(double* values) = nullptr;
  void (*whole)(int64_t* values) = nullptr;
  void (*complex)(std::complex<double>* values) = nullptr;
};

/// Plans the formula over all tensors of the call, inputs in signature order; what is written in place is read, too, and
/// what is absent left out. It is computed in the common dtype of the inputs but for the first `conditions`, and of the
/// first `promoting_scalars` scalars, or in the first wider one that has a kernel: FLOAT for FLOAT16, BFLOAT16, BOOL and
/// integers of up to 16 bits, DOUBLE for the others. Instead of FLOAT it is DOUBLE, and instead of COMPLEX64 COMPLEX128,
/// where the output has parts of DOUBLE and is no truth value, and where it has 16 bits and FLOAT would be rounded twice
/// (long_scalars). Scalars count as FLOAT beside shorter floating tensors, unless the output is DOUBLE; those of complex
/// formulas are in float64.
void PlanPointwise(exec::PlanBuilder& plan, KernelFinder find, int promoting_scalars = 0,
                   const ScalarChange& change = {}, int conditions = 0);

}  // namespace portacl::families
