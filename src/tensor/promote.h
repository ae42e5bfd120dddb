// SPDX-License-Identifier: Apache-2.0
// The type in which two operands are computed, and the types in which a result may be stored.
#pragma once

#include "acl/acl_base_rt.h"
#include "base/visibility.h"

namespace portacl {

/// Whether a result of type `from` may be stored as `to`: not from a floating type to an integer, from complex to real,
/// or from anything else to BOOL.
bool CanCast(aclDataType from, aclDataType to) noexcept;

inline namespace v1 {

/// The common type of two operands: BOOL is promoted to every numeric type, integers to floating types, those to
/// complex types, and narrower types to wider ones. FLOAT16 with BFLOAT16 gives FLOAT; UINT8 with INT8 gives INT16.
/// Complex types become COMPLEX128 if one operand has 64 bits, else COMPLEX64. ACL_DT_UNDEFINED when there is none: for
/// STRING, for UINT16 and wider unsigned types with another type, and for two different types of which one is packed or
/// narrower than 16 bits.
PORTACL_EXPORT aclDataType PromoteDtypes(aclDataType a, aclDataType b) noexcept;

/// The type in which a tensor and an aclScalar are computed. A scalar does not widen a tensor of its own kind (FLOAT16
/// times a FLOAT scalar stays FLOAT16). With a scalar of a higher kind, the result is the scalar's type if that is an
/// integer (the tensor is BOOL), FLOAT if it is a floating type, and a complex type with the tensor's precision if it
/// is complex. UINT16 and wider unsigned types accept only integer and complex scalars.
PORTACL_EXPORT aclDataType PromoteWithScalar(aclDataType tensor, aclDataType scalar) noexcept;

/// Whether operators of families support the conversion, beyond CanCast: floating types to integers, and the real parts
/// of complex values to floating types.
PORTACL_EXPORT bool CanStore(aclDataType from, aclDataType to) noexcept;

}  // namespace v1
}  // namespace portacl
