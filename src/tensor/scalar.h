// SPDX-License-Identifier: Apache-2.0
// The content of an aclScalar, and its value in several types.
#pragma once

#include <complex>
#include <cstdint>

#include "acl/acl_base_rt.h"
#include "aclnn/acl_meta.h"
#include "base/visibility.h"
#include "tensor/object_pool.h"

struct aclScalar final : portacl::PooledObject {
  static constexpr portacl::ObjectKind kKind = portacl::ObjectKind::kScalar;

  aclDataType dtype = ACL_DT_UNDEFINED;
  alignas(16) unsigned char bytes[16] = {};  // one element of `dtype`
};

namespace portacl {
inline namespace v1 {

/// The value as double: exact for BOOL, floating types and integers up to 2^53, else rounded to nearest. Returns false,
/// and leaves `value` unchanged, for complex types and for types narrower than 16 bits that are not integers.
PORTACL_EXPORT bool ScalarToDouble(const aclScalar& scalar, double* value) noexcept;

/// The value as int64: fractions are truncated, values outside the range become the nearest limit, and NaN becomes 0.
/// Returns false for the same types as ScalarToDouble.
PORTACL_EXPORT bool ScalarToInt64(const aclScalar& scalar, int64_t* value) noexcept;

/// The value modulo 2^64, which has the lowest bits of an integer of any dtype: fractions are truncated, and infinities
/// and NaN are 0. Returns false for the same types as ScalarToDouble.
PORTACL_EXPORT bool ScalarModulo(const aclScalar& scalar, int64_t* value) noexcept;

/// The value as a complex number; the imaginary part of real types is 0. Returns false for types narrower than 16 bits
/// that are not integers.
PORTACL_EXPORT bool ScalarToComplex(const aclScalar& scalar, std::complex<double>* value) noexcept;

}  // namespace v1
}  // namespace portacl
