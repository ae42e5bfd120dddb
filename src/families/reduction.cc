// SPDX-License-Identifier: Apache-2.0
#include "families/reduction.h"

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/target.h"
#include "exec/shape_rule.h"
#include "loops/elements/conversion.h"
#include "loops/reductions/reduce_each.h"

namespace portacl::families {
namespace {

using loops::IsComplex;

bool IsFloating(aclDataType dtype) { return FindDtype(dtype)->kind == DtypeKind::kFloating; }

// The dtype in which a sum of `dtype` is computed if it is stored as `result`.
aclDataType SumDtype(aclDataType dtype, aclDataType result) {
  if (IsComplex(dtype)) return ACL_COMPLEX128;
  if (!IsFloating(dtype)) return ACL_INT64;
  const bool shows_double = result == ACL_DOUBLE || result == ACL_COMPLEX128;
  return dtype == ACL_DOUBLE || shows_double ? ACL_DOUBLE : ACL_FLOAT;
}

// The dtype in which elements are compared.
aclDataType OrderDtype(aclDataType dtype) {
  if (dtype == ACL_DOUBLE) return ACL_DOUBLE;
  return IsFloating(dtype) ? ACL_FLOAT : ACL_INT64;
}

// The operands and attributes of a call.
struct ReducedCall {
  int self = -1;
  int outputs[loops::reductions::kMaxPlanes] = {};
  size_t output_count = 0;
  uint32_t axes = 0;
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclDataType result_dtype = ACL_DT_UNDEFINED;  // dtype of the first output
};

ReducedCall ReadCall(const exec::PlanBuilder& plan) {
  ReducedCall call;
  const exec::Schema& schema = plan.schema();
  std::span<const int64_t> dims;
  int64_t dim = 0;
  bool is_array = false;
  bool may_be_none = false;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const int index = static_cast<int>(i);
    switch (schema.args[i].kind) {
      case exec::ValueKind::kTensor:
        if (!schema.args[i].written()) {
          call.self = index;
          break;
        }
        if (call.output_count == 0) call.result_dtype = plan.Tensor(index).dtype;
        call.outputs[call.output_count++] = plan.Operand(index);
        break;
      case exec::ValueKind::kIntArray:
        dims = plan.Ints(index);
        is_array = true;
        break;
      case exec::ValueKind::kInt64:
        if (is_array) break;
        dim = plan.Attribute<int64_t>(index);
        dims = std::span(&dim, 1);
        break;
      case exec::ValueKind::kBool:
        if (std::string_view(schema.args[i].name) == "noopWithEmptyAxes") may_be_none = plan.Attribute<bool>(index);
        break;
      case exec::ValueKind::kDtype:
        call.dtype = plan.Attribute<aclDataType>(index);
        break;
      default:
        break;
    }
  }
  call.axes = exec::AxesOf(dims, plan.Tensor(call.self).rank);
  if (is_array && dims.empty() && may_be_none) call.axes = 0;
  return call;
}

bool IsSum(Reduction reduction) { return reduction <= Reduction::kProduct; }
bool IsLogical(Reduction reduction) { return reduction == Reduction::kAllTrue || reduction == Reduction::kAnyTrue; }

// The reduction for 16-bit elements with 16-bit results.
Reduction Grouped(Reduction reduction) {
  if (reduction == Reduction::kSum) return Reduction::kNarrowSum;
  if (reduction == Reduction::kSumOfSquares) return Reduction::kNarrowSumOfSquares;
  return reduction == Reduction::kSumOfNumbers ? Reduction::kNarrowSumOfNumbers : reduction;
}

// The reducer for elements of dtype `from` that are converted to `dtype` first, and results of a third dtype.
loops::reductions::Reducer ReducerFor(const ReductionKernel& kernel, aclDataType from, aclDataType dtype,
                                      aclDataType result_dtype) {
  Reduction reduction = kernel.reduction;
  if (IsSum(reduction) && dtype == ACL_BOOL)
    reduction = reduction == Reduction::kProduct ? Reduction::kAllTrue : Reduction::kAnyTrue;
  aclDataType cast = ACL_DT_UNDEFINED;
  aclDataType lanes = OrderDtype(from);
  if (IsLogical(reduction)) {
    // Small values of these dtypes would become 0 as FLOAT.
    if (from == ACL_DOUBLE || IsComplex(from)) cast = ACL_BOOL;
    lanes = ACL_FLOAT;
  } else if ((reduction == Reduction::kMaximum || reduction == Reduction::kMinimum) &&
             (from == ACL_FLOAT16 || from == ACL_BF16)) {
    lanes = from;
  } else if (reduction == Reduction::kVariance) {
    lanes = from;
  } else if (IsSum(reduction)) {
    cast = dtype;
    lanes = SumDtype(dtype, result_dtype);
    // 16-bit floats are widened in registers.
    const bool is_exact = cast == from || cast == ACL_FLOAT;
    if (reduction <= Reduction::kSumOfSquares && lanes == ACL_FLOAT && (from == ACL_FLOAT16 || from == ACL_BF16) &&
        is_exact) {
      cast = ACL_DT_UNDEFINED;
      lanes = from;
      if (ElementBytes(result_dtype) == 2) reduction = Grouped(reduction);
    }
  }
  loops::reductions::Reducer reducer = ReducerOf(reduction, lanes, ActiveTarget());
  reducer.cast = cast;
  reducer.first_result = kernel.places ? 1 : 0;
  return reducer;
}

}  // namespace

void PlanReduction(exec::PlanBuilder& plan, const ReductionKernel& kernel) {
  const ReducedCall call = ReadCall(plan);
  const aclDataType from = plan.Tensor(call.self).dtype;
  const aclDataType dtype = call.dtype == ACL_DT_UNDEFINED ? from : call.dtype;
  const loops::reductions::Reducer reducer = ReducerFor(kernel, from, dtype, call.result_dtype);
  ReductionParameters parameters{
      .power = kernel.power, .mean = kernel.mean, .root = kernel.root, .correction = kernel.correction};
  if (!IsFloating(dtype) && !IsComplex(dtype)) parameters.whole = dtype;
  const int self = plan.Operand(call.self);
  if (call.output_count == 1)
    return loops::reductions::ReduceAxes(plan, self, {call.outputs[0]}, call.axes, reducer, parameters);
  loops::reductions::ReduceAxes(plan, self, {call.outputs[0], call.outputs[1]}, call.axes, reducer, parameters);
}

void PlanReductionOfEach(exec::PlanBuilder& plan, int x, int out, const ReductionKernel& kernel) {
  const aclDataType dtype = plan.Tensor(x).dtype;
  std::vector<int> operands;
  for (int i = 0; i < plan.Count(x); ++i) operands.insert(operands.end(), {plan.Operand(x, i), plan.Operand(out, i)});
  loops::reductions::ReduceEach(plan, operands, ReducerFor(kernel, dtype, dtype, plan.Tensor(out).dtype),
                                ReductionParameters{.power = kernel.power, .mean = kernel.mean});
}

ReductionKernel NormOf(float p) {
  constexpr float kUnlimited = 2147483648.0F;  // CANN's largest and smallest integers stand for infinities
  if (p >= kUnlimited) return {.reduction = Reduction::kLargestMagnitude};
  if (p <= -kUnlimited) return {.reduction = Reduction::kSmallestMagnitude};
  if (p == 0) return {.reduction = Reduction::kNonZero};
  if (p == 1) return {.reduction = Reduction::kSumOfMagnitudes};
  if (p == 2) return {.reduction = Reduction::kSumOfSquares};
  return {.reduction = Reduction::kSumOfPowers, .power = static_cast<double>(p)};
}

}  // namespace portacl::families
