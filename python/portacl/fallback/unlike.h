// SPDX-License-Identifier: Apache-2.0
//
// Calls that an `aclnn` operator refuses, or computes otherwise than PyTorch, because of the values or the shapes of
// their arguments. The CPU computes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

namespace portacl {

// Whether a call with these arguments, one for each of the operator's, is such a call.
using IsUnlike = bool (*)(const c10::IValue* arguments, size_t count);

// `aclnnSigmoidBackward` does not conjugate the derivative.
inline bool IsComplex(const c10::IValue* arguments, size_t count) {
  return std::any_of(arguments, arguments + count, [](const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() && value.toTensor().is_complex();
  });
}

// For PyTorch, a tensor without axes has one, and an index without elements may have any shape. The operators of CANN
// gather and scatter only where all tensors have the rank of the first, and test the shape of any index.
inline bool IsEmptyOrOfOtherRank(const c10::IValue* arguments, size_t count) {
  constexpr size_t kSelf = 0, kIndex = 2;
  return arguments[kIndex].toTensor().numel() == 0 ||
         std::any_of(arguments, arguments + count, [&](const c10::IValue& value) {
           return value.isTensor() && value.toTensor().dim() != arguments[kSelf].toTensor().dim();
         });
}

// For `aclnnIndexPutImpl`, an index without elements is an axis that is not indexed. That makes a difference beside
// other indices. How many elements a mask names is only known on the device.
inline bool MayNameNothing(const c10::IValue* arguments, size_t /*count*/) {
  constexpr size_t kIndices = 1;
  int64_t indices = 0;
  bool may_be_empty = false;
  for (const c10::IValue& value : arguments[kIndices].toListRef()) {
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const at::Tensor& index = value.toTensor();
    ++indices;
    may_be_empty |= index.numel() == 0 || index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
  }
  return indices > 1 && may_be_empty;
}

// Which calls of an operator are such calls; null if none is.
inline IsUnlike UnlikeCallsOf(const c10::FunctionSchema& schema) {
  const std::string_view name = schema.name();
  const auto is = [&name](std::string_view begin) { return name.rfind(begin, 0) == 0; };
  if (name == "aten::sigmoid_backward") return IsComplex;
  if (name == "aten::gather" || is("aten::scatter")) return IsEmptyOrOfOtherRank;
  if (is("aten::index_put") || name == "aten::_index_put_impl_") return MayNameNothing;
  return nullptr;
}

}  // namespace portacl
