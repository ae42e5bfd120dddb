// SPDX-License-Identifier: Apache-2.0
// Access to the objects among the arguments of a call.
#pragma once

#include "exec/value.h"
#include "tensor/array.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

namespace portacl::exec {

// Null for other kinds, and for a null argument.
inline const PooledObject* ObjectOf(const Value& value) noexcept {
  switch (value.kind()) {
    case ValueKind::kTensor:
      return value.As<const aclTensor*>();
    case ValueKind::kTensorList:
      return value.As<const aclTensorList*>();
    case ValueKind::kScalar:
      return value.As<const aclScalar*>();
    case ValueKind::kScalarList:
      return value.As<const aclScalarList*>();
    case ValueKind::kIntArray:
      return value.As<const aclIntArray*>();
    case ValueKind::kFloatArray:
      return value.As<const aclFloatArray*>();
    case ValueKind::kBoolArray:
      return value.As<const aclBoolArray*>();
    default:
      return nullptr;
  }
}

// A destroyed object, which still holds its former values.
inline bool IsDead(const PooledObject* object) noexcept { return object != nullptr && !object->alive(); }

}  // namespace portacl::exec
