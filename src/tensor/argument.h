// SPDX-License-Identifier: Apache-2.0
// The two checks that every function of this layer makes: for pointers that are NULL, and for objects that are
// destroyed.
#pragma once

#include <cstdint>

#include "aclnn/opdev/op_errno.h"
#include "base/observer.h"
#include "base/status.h"
#include "tensor/object_pool.h"

namespace portacl {

inline int32_t CheckPointer(const char* function, const char* name, const void* pointer) noexcept {
  if (pointer != nullptr) [[likely]]
    return 0;
  return Failf(ACLNN_ERR_PARAM_NULLPTR, "{}: argument '{}': expected a pointer, got NULL", function, name);
}

// Reported as a tensor, whatever kind it was: the kind of an object's memory never changes.
inline void NotifyOfDeadObject(const char* function, const PooledObject* object) noexcept {
  const ApiCall named(function);
  NotifyObservers([=](Observer& each) { each.HandleDead(HandleKind::kTensor, reinterpret_cast<uintptr_t>(object)); });
}

inline int32_t CheckObject(const char* function, const char* name, const PooledObject* object) noexcept {
  if (object == nullptr) return CheckPointer(function, name, object);
  if (object->alive()) [[likely]]
    return 0;
  NotifyOfDeadObject(function, object);
  return Failf(ACLNN_ERR_PARAM_NULLPTR, "{}: argument '{}': expected a live object, got a destroyed one", function,
               name);
}

}  // namespace portacl
