// SPDX-License-Identifier: Apache-2.0
#include "exec/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/dtype.h"
#include "base/status.h"
#include "exec/refusal.h"
#include "tensor/array.h"
#include "tensor/tensor.h"

namespace portacl::exec {

inline namespace v1 {

Arguments::Arguments(const Schema& schema, std::span<const Value> values, uint64_t* workspace_size,
                     aclOpExecutor** executor, const Soc& soc)
    : schema_(schema),
      soc_(soc),
      values_(values),
      workspace_size_(workspace_size),
      executor_(executor),
      operands_(reinterpret_cast<Operand*>(inline_operands_)) {
  int total = 0;
  for (int arg : schema.tensors) {
    first_[arg] = total;
    count_[arg] = 1;
    if (schema.args[static_cast<size_t>(arg)].kind == ValueKind::kTensorList) {
      const auto* list = value(arg).As<const aclTensorList*>();
      count_[arg] = list == nullptr ? 0 : static_cast<int>(list->values().size());
    }
    total += count_[arg];
  }
  if (total > kInlineOperands) {
    more_operands_ = std::make_unique<std::byte[]>(static_cast<size_t>(total) * sizeof(Operand));
    operands_ = reinterpret_cast<Operand*>(more_operands_.get());
  }
  for (int arg : schema.tensors) Read(arg);
}

Arguments::~Arguments() = default;

void Arguments::Read(int arg) {
  const bool is_list = schema_.args[static_cast<size_t>(arg)].kind == ValueKind::kTensorList;
  for (int i = 0; i < count_[arg]; ++i) {
    Operand* operand = new (operands_ + operand_count_++) Operand;
    const aclTensor* tensor = is_list ? value(arg).As<const aclTensorList*>()->values()[static_cast<size_t>(i)]
                                      : value(arg).As<const aclTensor*>();
    if (tensor == nullptr) continue;
    operand->tensor = tensor;
    operand->rank = static_cast<int32_t>(tensor->rank);
    View& view = operand->view;
    view.data = tensor->data;
    view.offset = tensor->offset;
    view.dtype = tensor->dtype;
    view.format = tensor->format;
    if (operand->rank > kMaxRank) continue;
    view.rank = operand->rank;
    for (int axis = 0; axis < view.rank; ++axis) {
      view.shape[axis] = tensor->shape[axis];
      view.strides[axis] = tensor->strides[axis];
    }
  }
}

bool Arguments::IsNull(int arg) const {
  if (arg == kWorkspaceSizeArg) return workspace_size_ == nullptr;
  if (arg == kExecutorArg) return executor_ == nullptr;
  return value(arg).IsNull();
}

const View& Arguments::Tensor(int arg, int element) const { return operands_[first_[arg] + element].view; }

std::span<const int64_t> Arguments::Ints(int arg) const {
  const auto* array = value(arg).As<const aclIntArray*>();
  return array == nullptr ? std::span<const int64_t>() : array->values();
}

aclnnStatus Arguments::Refuse(const Step& step, int arg, std::string_view expected, std::string_view got,
                              int element) const noexcept {
  KeepRefusal(Refusal::kOther, schema_.api);
  const char* name = arg == kWorkspaceSizeArg ? "workspaceSize"
                     : arg == kExecutorArg    ? "executor"
                                              : schema_.args[static_cast<size_t>(arg)].name;
  const ValueKind kind = arg < 0 ? ValueKind::kInt64 : schema_.args[static_cast<size_t>(arg)].kind;
  if (element < 0 || (kind != ValueKind::kTensorList && kind != ValueKind::kScalarList)) {
    return Failf(step.status, "{}: argument '{}': expected {}, got {}", schema_.api, name, expected, got);
  }
  return Failf(step.status, "{}: argument '{}[{}]': expected {}, got {}", schema_.api, name, element, expected, got);
}

aclnnStatus Arguments::Refuse(const Step& step, int arg, std::string_view expected, aclDataType got,
                              int element) const noexcept {
  const aclnnStatus status = Refuse(step, arg, expected, DtypeName(got), element);
  KeepRefusal(Refusal::kDtype, schema_.api);
  return status;
}

}  // namespace v1

}  // namespace portacl::exec
