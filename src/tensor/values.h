// SPDX-License-Identifier: Apache-2.0
// The values of scalars and arrays, for client_members.cc: it declares the classes as clients do, without the content
// that scalar.h and array.h define.
#pragma once

#include <span>

#include "aclnn/acl_meta.h"

namespace portacl {

struct ScalarValue {
  aclDataType dtype;
  const void* bytes;  // one element of `dtype`
};

ScalarValue ValueOf(const aclScalar* scalar) noexcept;
std::span<const int64_t> ValuesOf(const aclIntArray* array) noexcept;
std::span<const float> ValuesOf(const aclFloatArray* array) noexcept;
std::span<const bool> ValuesOf(const aclBoolArray* array) noexcept;

}  // namespace portacl
