// SPDX-License-Identifier: Apache-2.0
//
// Plans of pointwise operators: the dtype to compute in, the kernel for it, scalars as its parameters.
//
//   families::PlanPointwise(plan, HardswishKernel);
#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

#include "acl/acl_base_rt.h"
#include "exec/plan.h"
#include "loops/tiles/elementwise.h"

namespace portacl::families {

/// How a formula is computed with inputs of `dtype`; `run` is null where it cannot be.
struct PointwiseKernel {
  loops::LaneFunction run = nullptr;
  double ns_per_element = 1;
  aclDataType dtype = ACL_DT_UNDEFINED;         // that `run` takes; undefined: the one that was asked for
  aclDataType result_dtype = ACL_DT_UNDEFINED;  // undefined: the same
  bool repeats = false;                         // one of several inputs may be one element for a whole row
  loops::LaneFunction same = nullptr;           // `run` with results of the dtype that it takes, where there is such
  uint32_t long_scalars = 0;                    // 16-bit results by scalars with such bits take more than FLOAT
};
using KernelFinder = PointwiseKernel (*)(aclDataType dtype);

/// The scalars of a call, and attributes of floating types and int64_t, in signature order and in the dtype that is
/// computed in. What a kernel finds as its parameters. Those of integer dtypes and of BOOL are int64_t: truncated; 0 for
/// attributes of floating types.
template <class T>
inline constexpr size_t kMostScalars = loops::kMaxParameterBytes / std::max(sizeof(T), sizeof(double));
template <class T>
struct Scalars {
  T values[kMostScalars<T>];
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

constexpr bool IsNumber(exec::ValueKind kind) {
  return kind == exec::ValueKind::kFloat || kind == exec::ValueKind::kDouble || kind == exec::ValueKind::kInt64;
}

/// Whether PlanPointwise takes the calls of a schema: no more tensors than a tile has operands, each in place counted
/// twice, and no more numbers than Scalars holds, which are fewer where they may be complex.
constexpr bool FitsPointwise(std::span<const exec::Arg> args, std::span<const exec::Step> steps) {
  constexpr exec::DtypeSet kComplexDtypes = {ACL_COMPLEX64, ACL_COMPLEX128};
  int operands = 0;
  size_t numbers = 0;
  for (const exec::Arg& arg : args) {
    if (arg.kind == exec::ValueKind::kTensorList) return false;
    if (arg.kind == exec::ValueKind::kTensor) operands += arg.role == exec::Role::kInOut ? 2 : 1;
    if (IsNumber(arg.kind) || arg.kind == exec::ValueKind::kScalar) ++numbers;
  }
  const bool may_be_complex = std::ranges::any_of(steps, [&](const exec::Step& step) {
    return !step.left_out && step.word == exec::Word::kDtypeOneOf &&
           !((step.limits[0].dtypes | step.limits[1].dtypes) & kComplexDtypes).empty();
  });
  const size_t most_numbers = may_be_complex ? kMostScalars<std::complex<double>> : kMostScalars<double>;
  return operands <= loops::kMaxTileOperands && numbers <= most_numbers;
}

/// Plans the formula over all tensors of the call, inputs and then outputs, each in signature order; what is written in
/// place is read, too, and what is absent left out. It is computed in the common dtype of the inputs but for the first
/// `conditions`, and of the first `promoting_scalars` scalars, or in the first wider one that has a kernel: FLOAT for
/// FLOAT16, BFLOAT16, BOOL and integers of up to 16 bits, DOUBLE for the others. Instead of FLOAT it is DOUBLE, and
/// instead of COMPLEX64 COMPLEX128, where an output has parts of DOUBLE and is no truth value, and where one has 16 bits
/// and FLOAT would be rounded twice (long_scalars). Scalars count as FLOAT beside shorter floating tensors, unless an
/// output is DOUBLE; those of complex formulas are in float64.
void PlanPointwise(exec::PlanBuilder& plan, KernelFinder find, int promoting_scalars = 0,
                   const ScalarChange& change = {}, int conditions = 0);
template <KernelFinder find>
void Pointwise(exec::PlanBuilder& plan) {
  PlanPointwise(plan, find);
}

}  // namespace portacl::families
