// SPDX-License-Identifier: Apache-2.0
// The C functions of executors: their life, and the addresses of their tensors.
#include <cstddef>

#include "aclnn/acl_meta.h"
#include "base/observer.h"
#include "base/status.h"
#include "exec/executor.h"
#include "exec/executor_pool.h"
#include "tensor/array.h"
#include "tensor/tensor.h"

namespace portacl::exec {
namespace {

enum class Numbering { kInputs, kOutputs, kInputsThenOutputs };

// The argument with this position among the tensors and tensor lists of the operator; -1 when there are fewer.
int ArgAt(const Schema& schema, Numbering numbering, size_t index) {
  size_t position = 0;
  for (int arg : schema.tensors) {
    const bool written = schema.args[static_cast<size_t>(arg)].written();
    if ((numbering == Numbering::kInputs && written) || (numbering == Numbering::kOutputs && !written)) continue;
    if (position++ == index) return arg;
  }
  return -1;
}

Executor* ClaimFor(const char* function, aclOpExecutor* handle, aclnnStatus* status) {
  if (handle == nullptr) {
    *status = Failf(kInternalNull, "{}: argument 'executor': expected a pointer, got NULL", function);
    return nullptr;
  }
  Executor* executor = Claim(handle, nullptr);
  if (executor == nullptr) {
    const ApiCall named(function);
    NotifyObservers(
        [=](Observer& each) { each.HandleDead(HandleKind::kExecutor, reinterpret_cast<uintptr_t>(handle)); });
    *status =
        Failf(kInternal, "{}: argument 'executor': expected a live executor, got an unknown or consumed one", function);
  }
  return executor;
}

aclnnStatus SetAddress(const char* function, aclOpExecutor* handle, Numbering numbering, const char* index_name,
                       size_t index, ValueKind kind, size_t element, void* address) {
  aclnnStatus status = kSuccess;
  Executor* executor = ClaimFor(function, handle, &status);
  if (executor == nullptr) return status;
  const Schema& schema = executor->schema();
  const int arg = ArgAt(schema, numbering, index);
  RunOperand* operand = nullptr;
  if (arg >= 0 && schema.args[static_cast<size_t>(arg)].kind == kind) operand = executor->FindOperand(arg, element);
  if (operand != nullptr) operand->data = static_cast<std::byte*>(address);
  Release(executor);
  if (operand != nullptr) return kSuccess;
  return Failf(kInvalid, "{}: argument '{}': expected the number of a {} that {} was given, got {}", function,
               index_name, kind == ValueKind::kTensor ? "tensor" : "tensor list", schema.api, index);
}

aclnnStatus SetTensor(const char* function, aclOpExecutor* handle, Numbering numbering, size_t index, aclTensor* tensor,
                      void* address) {
  if (tensor == nullptr) return Failf(kInternalNull, "{}: argument 'tensor': expected a pointer, got NULL", function);
  tensor->data = address;
  return SetAddress(function, handle, numbering, "index", index, ValueKind::kTensor, 0, address);
}

aclnnStatus SetDynamic(const char* function, aclOpExecutor* handle, Numbering numbering, size_t index, size_t element,
                       aclTensorList* tensors, void* address) {
  if (tensors == nullptr) return Failf(kInternalNull, "{}: argument 'tensors': expected a pointer, got NULL", function);
  const auto values = tensors->values();
  if (element >= values.size()) {
    return Failf(kInvalid, "{}: argument 'relativeIndex': expected a value below {}, the length of 'tensors', got {}",
                 function, values.size(), element);
  }
  if (values[element] == nullptr) {
    return Failf(kInternalNull, "{}: argument 'tensors[{}]': expected a pointer, got NULL", function, element);
  }
  const_cast<aclTensor*>(values[element])->data =
      address;  // lists hold pointers to const, but the objects themselves are not const
  return SetAddress(function, handle, numbering, "irIndex", index, ValueKind::kTensorList, element, address);
}

}  // namespace
}  // namespace portacl::exec

using portacl::exec::Numbering;
using portacl::exec::SetDynamic;
using portacl::exec::SetTensor;

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  aclnnStatus status = portacl::exec::kSuccess;
  portacl::exec::Executor* claimed = portacl::exec::ClaimFor(__func__, executor, &status);
  if (claimed == nullptr) return status;
  claimed->repeatable = true;
  portacl::exec::Release(claimed);
  return status;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  aclnnStatus status = portacl::exec::kSuccess;
  portacl::exec::Executor* claimed = portacl::exec::ClaimFor(__func__, executor, &status);
  if (claimed == nullptr) return status;
  portacl::exec::Retire(claimed);
  portacl::NotifyObservers([=](portacl::Observer& each) {
    each.HandleEnded(portacl::HandleKind::kExecutor, reinterpret_cast<uintptr_t>(executor));
  });
  claimed->Finish();
  return status;
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetTensor(__func__, executor, Numbering::kInputs, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetTensor(__func__, executor, Numbering::kOutputs, index, tensor, addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetTensor(__func__, executor, Numbering::kInputsThenOutputs, index, tensor, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
  return SetDynamic(__func__, executor, Numbering::kInputs, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
  return SetDynamic(__func__, executor, Numbering::kOutputs, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  return SetDynamic(__func__, executor, Numbering::kInputsThenOutputs, irIndex, relativeIndex, tensors, addr);
}

// Deprecated names of these functions.

aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetTensor(__func__, executor, Numbering::kInputs, index, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetTensor(__func__, executor, Numbering::kOutputs, index, tensor, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetTensor(__func__, executor, Numbering::kInputsThenOutputs, index, tensor, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
  return SetDynamic(__func__, executor, Numbering::kInputs, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
  return SetDynamic(__func__, executor, Numbering::kOutputs, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  return SetDynamic(__func__, executor, Numbering::kInputsThenOutputs, irIndex, relativeIndex, tensors, addr);
}
