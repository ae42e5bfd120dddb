// SPDX-License-Identifier: Apache-2.0
// The table of element types: name, size, kind.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl {

/// The kind of a type's values; decides promotion and casts.
enum class DtypeKind : uint8_t {
  kNone,           // STRING, UNDEFINED: not numeric
  kBool,           // one byte; 0 is false, any other value is true
  kUnsigned,       // UINT8 and wider
  kSigned,         // INT8 and wider
  kPackedInteger,  // INT4, UINT1: several elements share a byte
  kFloating,       // FLOAT16, BFLOAT16, FLOAT, DOUBLE
  kNarrowFloat,    // 8 bits or fewer
  kComplex,
};

struct DtypeInfo {
  aclDataType dtype;
  const char* name;  // "FLOAT16"
  size_t bytes;      // aclDataTypeSize(); not the storage of packed types
  DtypeKind kind;
};

/// All public element types, in the order of their values.
inline constexpr DtypeInfo kDtypes[] = {
    {ACL_DT_UNDEFINED, "UNDEFINED", 0, DtypeKind::kNone},
    {ACL_FLOAT, "FLOAT", 4, DtypeKind::kFloating},
    {ACL_FLOAT16, "FLOAT16", 2, DtypeKind::kFloating},
    {ACL_INT8, "INT8", 1, DtypeKind::kSigned},
    {ACL_INT32, "INT32", 4, DtypeKind::kSigned},
    {ACL_UINT8, "UINT8", 1, DtypeKind::kUnsigned},
    {ACL_INT16, "INT16", 2, DtypeKind::kSigned},
    {ACL_UINT16, "UINT16", 2, DtypeKind::kUnsigned},
    {ACL_UINT32, "UINT32", 4, DtypeKind::kUnsigned},
    {ACL_INT64, "INT64", 8, DtypeKind::kSigned},
    {ACL_UINT64, "UINT64", 8, DtypeKind::kUnsigned},
    {ACL_DOUBLE, "DOUBLE", 8, DtypeKind::kFloating},
    {ACL_BOOL, "BOOL", 1, DtypeKind::kBool},
    {ACL_STRING, "STRING", 0, DtypeKind::kNone},
    {ACL_COMPLEX64, "COMPLEX64", 8, DtypeKind::kComplex},
    {ACL_COMPLEX128, "COMPLEX128", 16, DtypeKind::kComplex},
    {ACL_BF16, "BFLOAT16", 2, DtypeKind::kFloating},
    {ACL_INT4, "INT4", 1, DtypeKind::kPackedInteger},
    {ACL_UINT1, "UINT1", 1, DtypeKind::kPackedInteger},
    {ACL_COMPLEX32, "COMPLEX32", 4, DtypeKind::kComplex},
    {ACL_HIFLOAT8, "HIFLOAT8", 1, DtypeKind::kNarrowFloat},
    {ACL_FLOAT8_E5M2, "FLOAT8_E5M2", 1, DtypeKind::kNarrowFloat},
    {ACL_FLOAT8_E4M3FN, "FLOAT8_E4M3FN", 1, DtypeKind::kNarrowFloat},
    {ACL_FLOAT8_E8M0, "FLOAT8_E8M0", 1, DtypeKind::kNarrowFloat},
    {ACL_FLOAT6_E3M2, "FLOAT6_E3M2", 8, DtypeKind::kNarrowFloat},
    {ACL_FLOAT6_E2M3, "FLOAT6_E2M3", 8, DtypeKind::kNarrowFloat},
    {ACL_FLOAT4_E2M1, "FLOAT4_E2M1", 8, DtypeKind::kNarrowFloat},
    {ACL_FLOAT4_E1M2, "FLOAT4_E1M2", 8, DtypeKind::kNarrowFloat},
};

/// The row of `dtype`; nullptr for a value that is not public.
constexpr const DtypeInfo* FindDtype(aclDataType dtype) noexcept {
  for (const DtypeInfo& info : kDtypes) {
    if (info.dtype == dtype) return &info;
  }
  return nullptr;
}

/// The name for messages; "UNKNOWN" for a value that is not public.
constexpr const char* DtypeName(aclDataType dtype) noexcept {
  const DtypeInfo* info = FindDtype(dtype);
  return info == nullptr ? "UNKNOWN" : info->name;
}

/// The distance in bytes between adjacent elements of a tensor; 0 for types whose elements are not whole bytes, and for
/// unknown types.
constexpr size_t ElementBytes(aclDataType dtype) noexcept {
  const DtypeInfo* info = FindDtype(dtype);
  if (info == nullptr || info->kind == DtypeKind::kPackedInteger) return 0;
  return info->kind == DtypeKind::kNarrowFloat && info->bytes != 1 ? 0 : info->bytes;
}

}  // namespace portacl
