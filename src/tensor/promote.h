// SPDX-License-Identifier: Apache-2.0
// The type two operands are computed in, and the types a result may be stored in.
#pragma once

#include "acl/acl_base_rt.h"

namespace portacl {

/// The smallest type that holds the values of both: BOOL gives way to every number, integers to floating types, those
/// to complex ones; FLOAT16 with BFLOAT16 gives FLOAT. ACL_DT_UNDEFINED when there is none: UINT64 with a signed
/// integer, STRING, and two different types of which one is packed or narrower than 16 bits.
aclDataType PromoteDtypes(aclDataType a, aclDataType b) noexcept;

/// The type a tensor and an aclScalar are computed in. A scalar does not widen a tensor of its own kind (FLOAT16 times
/// a FLOAT scalar stays FLOAT16); one of a higher kind brings INT64, FLOAT, or a complex type as precise as the tensor.
aclDataType PromoteWithScalar(aclDataType tensor, aclDataType scalar) noexcept;

/// Whether a result of type `from` may be stored as `to`: not from a floating type to an integer, from complex to real,
/// or from anything else to BOOL.
bool CanCast(aclDataType from, aclDataType to) noexcept;

}  // namespace portacl
