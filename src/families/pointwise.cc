// SPDX-License-Identifier: Apache-2.0
#include "families/pointwise.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "families/pointwise_scalars.h"
#include "loops/tiles/operands.h"
#include "tensor/promote.h"
#include "tensor/scalar.h"

namespace portacl::families {
namespace {

bool IsNarrow(aclDataType dtype) { return dtype == ACL_FLOAT16 || dtype == ACL_BF16; }

// The tensors of a call: inputs, then outputs, each in signature order.
struct Operands {
  loops::OperandPart parts[loops::kMaxTileOperands];
  size_t inputs = 0;
  size_t count = 0;
  aclDataType dtype = ACL_DT_UNDEFINED;  // common dtype of the inputs
  bool to_double = false;                // an output is DOUBLE or COMPLEX128
  bool to_narrow = false;                // an output is FLOAT16 or BFLOAT16
  bool mixed = false;                    // inputs have several dtypes
  bool converted = false;                // an output has another dtype than the first input

  std::span<const loops::OperandPart> all() const { return {parts, count}; }
  std::span<const loops::OperandPart> outputs() const { return all().subspan(inputs); }
};

Operands OperandsOf(const exec::PlanBuilder& plan, int promoting_scalars, size_t conditions) {
  const exec::Schema& schema = plan.schema();
  Operands operands;
  const auto add = [&](bool output) {
    for (size_t i = 0; i < schema.args.size(); ++i) {
      const exec::Arg& arg = schema.args[i];
      const bool counts = output ? arg.written() : arg.role != exec::Role::kOutput;
      if (arg.kind == exec::ValueKind::kTensor && counts && plan.Has(static_cast<int>(i)))
        operands.parts[operands.count++] = plan.Operand(static_cast<int>(i));
    }
  };
  const auto promote = [&](aclDataType dtype, aclDataType (*with)(aclDataType, aclDataType) noexcept) {
    operands.dtype = operands.dtype == ACL_DT_UNDEFINED ? dtype : with(operands.dtype, dtype);
  };
  add(false);
  operands.inputs = operands.count;
  add(true);
  const auto dtype_of = [&](size_t i) { return plan.OperandView(operands.parts[i].operand).dtype; };
  const aclDataType first = dtype_of(0);
  for (size_t i = 0; i < operands.inputs; ++i) {
    operands.mixed |= dtype_of(i) != first;
    if (i >= conditions) promote(dtype_of(i), PromoteDtypes);
  }
  for (size_t i = operands.inputs; i < operands.count; ++i) {
    const aclDataType to = dtype_of(i);
    operands.to_double |= to == ACL_DOUBLE || to == ACL_COMPLEX128;
    operands.to_narrow |= IsNarrow(to);
    operands.converted |= to != first;
  }
  for (size_t i = 0; promoting_scalars > 0 && i < schema.args.size(); ++i) {
    if (schema.args[i].kind != exec::ValueKind::kScalar) continue;
    --promoting_scalars;
    if (plan.Has(static_cast<int>(i)))
      promote(plan.Attribute<const aclScalar*>(static_cast<int>(i))->dtype, PromoteWithScalar);
  }
  return operands;
}

}  // namespace

aclDataType NextWider(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_INT16:
    case ACL_UINT16:
      return ACL_FLOAT;
    case ACL_INT32:
    case ACL_INT64:
    case ACL_UINT32:
    case ACL_UINT64:
    case ACL_FLOAT:
      return ACL_DOUBLE;
    case ACL_COMPLEX64:
      return ACL_COMPLEX128;
    default:
      return ACL_DT_UNDEFINED;
  }
}

void PlanPointwise(exec::PlanBuilder& plan, KernelFinder find, int promoting_scalars, const ScalarChange& change,
                   int conditions) {
  if (plan.schema().args[0].kind == exec::ValueKind::kTensorList ||
      plan.schema().args[1].kind == exec::ValueKind::kTensorList)
    return PlanPointwiseOfLists(plan, find, change);
  const Operands operands = OperandsOf(plan, promoting_scalars, static_cast<size_t>(conditions));
  aclDataType dtype = operands.dtype;
  PointwiseKernel kernel = find(dtype);
  // Lane code for 16-bit dtypes would round to 16 bits, which loses bits of a wider output; for BOOL it makes no
  // difference.
  const bool is_wide = operands.mixed || (operands.converted && kernel.result_dtype == ACL_DT_UNDEFINED);
  if (is_wide && IsNarrow(dtype)) {
    dtype = ACL_FLOAT;
    kernel = find(dtype);
  }
  while (kernel.run == nullptr) {
    dtype = NextWider(dtype);
    kernel = find(dtype);
  }
  if (kernel.dtype != ACL_DT_UNDEFINED) dtype = kernel.dtype;
  // A DOUBLE output shows the bits that FLOAT loses; a truth value is the same for any dtype.
  const bool shows = operands.to_double && kernel.result_dtype != ACL_BOOL;
  const bool rounds_twice = dtype == ACL_FLOAT && operands.to_narrow && kernel.long_scalars != 0 &&
                            HasLongScalars(ReadSingles(plan, change), kernel.long_scalars);
  if (((dtype == ACL_FLOAT || dtype == ACL_COMPLEX64) && shows) || rounds_twice) {
    const aclDataType wider = NextWider(dtype);
    const PointwiseKernel in_double = find(wider);
    if (in_double.run != nullptr) kernel = in_double, dtype = wider;
  }
  const bool single = !shows && (operands.dtype == ACL_FLOAT || IsNarrow(operands.dtype));
  const ScalarBlock block = ScalarsFor(plan, dtype, single, change);
  const bool is_same = std::ranges::all_of(operands.outputs(), [&](const loops::OperandPart& output) {
    return plan.OperandView(output.operand).dtype == dtype;
  });
  if (kernel.same != nullptr && is_same) {
    kernel.run = kernel.same;
    kernel.result_dtype = ACL_DT_UNDEFINED;
  }

  const size_t inputs = operands.all().size() - operands.outputs().size();
  const loops::ElementwiseKernel elementwise{.run = kernel.run,
                                             .ns_per_element = kernel.ns_per_element,
                                             .outputs = static_cast<int>(operands.outputs().size()),
                                             .repeated = kernel.repeats && inputs > 1 ? (uint32_t{1} << inputs) - 1 : 0,
                                             .dtype = dtype,
                                             .result_dtype = kernel.result_dtype};
  loops::Elementwise(plan, operands.all(), elementwise, block);
}

}  // namespace portacl::families
