// SPDX-License-Identifier: Apache-2.0
//
// Plans pointwise operators: chooses the dtype of the computation and its kernel, and passes scalars as parameters.
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

/// The kernel of a formula for inputs of `dtype`; `run` is null if there is none.
struct PointwiseKernel {
  loops::LaneFunction run = nullptr;
  double ns_per_element = 1;
  aclDataType dtype = ACL_DT_UNDEFINED;         // dtype that `run` takes; undefined: the requested one
  aclDataType result_dtype = ACL_DT_UNDEFINED;  // dtype that `run` writes; undefined: the one that it takes
  bool repeats = false;                         // each of several inputs may be one element for a whole row
  loops::LaneFunction same = nullptr;           // `run` with results of the dtype that it takes, or null
  uint32_t long_scalars = 0;  // a scalar with any of these bits set needs more than FLOAT for 16-bit results
};
using KernelFinder = PointwiseKernel (*)(aclDataType dtype);

/// The parameters of a kernel: the scalars of a call, and its attributes of floating types and int64_t, in signature
/// order and in the dtype of the computation. For integer dtypes and BOOL they are int64_t: scalars are truncated,
/// attributes of floating types are 0.
template <class T>
inline constexpr size_t kMostScalars = loops::kMaxParameterBytes / std::max(sizeof(T), sizeof(double));
template <class T>
struct Scalars {
  T values[kMostScalars<T>];
};

/// A scalar is long if any of these bits of its FLOAT value is set. Results computed with a long scalar, rounded to
/// float32 and again to 16 bits, are not always the nearest ones. Products and quotients are correct for scalars of up
/// to 8 bits, even if the results are subnormal in BFLOAT16, which ends 16 bits before float32. The sum of an element
/// and a product is only correct for powers of two: 3 * 683 is in the middle between two FLOAT16 values, and a small
/// summand, which would decide, is lost.
inline constexpr uint32_t kLongFactors = (uint32_t{1} << 16) - 1;
inline constexpr uint32_t kLongWithSums = (uint32_t{1} << 23) - 1;
inline bool HasLongScalars(const Scalars<float>& scalars, uint32_t bits) {
  return std::ranges::any_of(scalars.values,
                             [=](float scalar) { return (std::bit_cast<uint32_t>(scalar) & bits) != 0; });
}

/// A change of the scalars before they are rounded to that dtype, such as multiplying `other` by alpha.
struct ScalarChange {
  void (*real)(double* values) = nullptr;
  void (*whole)(int64_t* values) = nullptr;
  void (*complex)(std::complex<double>* values) = nullptr;
};

constexpr bool IsNumber(exec::ValueKind kind) {
  return kind == exec::ValueKind::kFloat || kind == exec::ValueKind::kDouble || kind == exec::ValueKind::kInt64;
}

/// Whether PlanPointwise supports a schema: it has at most as many tensors as a tile has operands, where tensors that
/// are updated in place count twice, and at most as many numbers as Scalars holds. Scalars holds fewer numbers if they
/// may be complex.
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

/// Plans the formula over all tensors of the call, inputs, then outputs, each in signature order. Tensors that are
/// updated in place are inputs, too; absent tensors are left out. The dtype of the computation is the common dtype of
/// the inputs, except the first `conditions`, and of the first `promoting_scalars` scalars. If it has no kernel, the
/// first wider dtype with a kernel is used: FLOAT for FLOAT16, BFLOAT16, BOOL and integers of up to 16 bits, DOUBLE for
/// others. FLOAT is replaced by DOUBLE, and COMPLEX64 by COMPLEX128, if an output has parts of DOUBLE and is no truth
/// value, or if an output has 16 bits and FLOAT would be rounded twice (long_scalars). With floating tensors shorter
/// than DOUBLE, scalars are rounded to FLOAT, unless an output is DOUBLE. Scalars of complex formulas are in float64.
void PlanPointwise(exec::PlanBuilder& plan, KernelFinder find, int promoting_scalars = 0,
                   const ScalarChange& change = {}, int conditions = 0);
template <KernelFinder find>
void Pointwise(exec::PlanBuilder& plan) {
  PlanPointwise(plan, find);
}

}  // namespace portacl::families
