// SPDX-License-Identifier: Apache-2.0
// The type two operands are computed in, and the types a result may be stored in.
#pragma once

#include "acl/acl_base_rt.h"
#include "base/visibility.h"

namespace portacl {

/// Whether a result of type `from` may be stored as `to`: not from a floating type to an integer, from complex to real,
/// or from anything else to BOOL.
bool CanCast(aclDataType from, aclDataType to) noexcept;

inline namespace v1 {

/// The common type of two operands: BOOL gives way to every number, integers to floating types, those to complex ones,
/// the narrower to the wider. FLOAT16 with BFLOAT16 gives FLOAT, UINT8 with INT8 INT16; complex numbers are COMPLEX128
/// where one operand is of 64 bits, else COMPLEX64. ACL_DT_UNDEFINED when there is none: STRING, UINT16 and wider
/// unsigned types with another, and two different types of which one is packed or narrower than 16 bits.
PORTACL_EXPORT aclDataType PromoteDtypes(aclDataType a, aclDataType b) noexcept;

/// The type a tensor and an aclScalar are computed in. A scalar does not widen a tensor of its own kind (FLOAT16 times
/// a FLOAT scalar stays FLOAT16); of a higher kind it brings its own type to a BOOL tensor if it is an integer, FLOAT,
/// or a complex type as precise as the tensor. UINT16 and wider take integers and complex numbers only.
PORTACL_EXPORT aclDataType PromoteWithScalar(aclDataType tensor, aclDataType scalar) noexcept;

/// Whether operators of families convert so, beyond CanCast: a floating type to an integer, and the real parts of
/// complex numbers to a floating type.
PORTACL_EXPORT bool CanStore(aclDataType from, aclDataType to) noexcept;

}  // namespace v1
}  // namespace portacl
