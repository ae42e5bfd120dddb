// SPDX-License-Identifier: Apache-2.0
#include "tensor/values.h"

#include "tensor/array.h"
#include "tensor/scalar.h"

namespace portacl {

ScalarValue ValueOf(const aclScalar* scalar) noexcept { return {scalar->dtype, scalar->bytes}; }

std::span<const int64_t> ValuesOf(const aclIntArray* array) noexcept { return array->values(); }
std::span<const float> ValuesOf(const aclFloatArray* array) noexcept { return array->values(); }
std::span<const bool> ValuesOf(const aclBoolArray* array) noexcept { return array->values(); }

}  // namespace portacl
