// SPDX-License-Identifier: Apache-2.0
//
// The properties that define a kind of call: which arguments are given, their types, the dtypes of tensors, and which
// are written.
#pragma once

#include <string>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

namespace portacl {

inline bool IsWritten(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

inline void AppendKind(const c10::IValue& value, std::string* kind) {
  const auto append_tensor = [kind](const at::Tensor& tensor) {
    *kind += tensor.defined() ? static_cast<char>('A' + static_cast<int>(tensor.scalar_type())) : 'u';
  };
  if (value.isTensor()) {
    append_tensor(value.toTensor());
  } else if (value.isList()) {
    *kind += '[';
    for (const c10::IValue& item : value.toListRef()) AppendKind(item, kind);
    *kind += ']';
  } else {
    *kind += value.isNone() ? 'n' : value.isBool() ? 'b' : value.isInt() ? 'i' : value.isDouble() ? 'd' : 'o';
  }
}

template <class Iterator>
std::string KindOf(Iterator begin, Iterator end) {
  std::string kind;
  for (; begin != end; ++begin) AppendKind(*begin, &kind);
  return kind;
}

}  // namespace portacl
