// SPDX-License-Identifier: Apache-2.0
#include "tensor/promote.h"

#include <algorithm>

#include "base/dtype.h"

namespace portacl {
namespace {

bool IsInteger(const DtypeInfo& info) { return info.kind == DtypeKind::kUnsigned || info.kind == DtypeKind::kSigned; }

bool IsNumber(const DtypeInfo& info) {
  return info.kind == DtypeKind::kBool || IsInteger(info) || info.kind == DtypeKind::kFloating ||
         info.kind == DtypeKind::kComplex;
}

// BOOL 0, integers 1, floating types 2, complex types 3.
int Rank(const DtypeInfo& info) {
  if (info.kind == DtypeKind::kBool) return 0;
  if (IsInteger(info)) return 1;
  return info.kind == DtypeKind::kFloating ? 2 : 3;
}

aclDataType Signed(size_t bytes) {
  switch (bytes) {
    case 2:
      return ACL_INT16;
    case 4:
      return ACL_INT32;
    case 8:
      return ACL_INT64;
    default:
      return ACL_DT_UNDEFINED;  // no signed type holds UINT64
  }
}

aclDataType PromoteIntegers(const DtypeInfo& a, const DtypeInfo& b) {
  if (a.kind == b.kind) return a.bytes > b.bytes ? a.dtype : b.dtype;
  const DtypeInfo& is_signed = a.kind == DtypeKind::kSigned ? a : b;
  const DtypeInfo& is_unsigned = a.kind == DtypeKind::kSigned ? b : a;
  return is_signed.bytes > is_unsigned.bytes ? is_signed.dtype : Signed(2 * is_unsigned.bytes);
}

aclDataType PromoteFloats(aclDataType a, aclDataType b) {
  if (a == b) return a;
  return a == ACL_DOUBLE || b == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
}

// The type of the two parts of a complex number.
aclDataType PartOf(const DtypeInfo& info) {
  switch (info.dtype) {
    case ACL_COMPLEX32:
      return ACL_FLOAT16;
    case ACL_COMPLEX64:
      return ACL_FLOAT;
    case ACL_COMPLEX128:
      return ACL_DOUBLE;
    default:
      return info.dtype;
  }
}

aclDataType ComplexOf(aclDataType part) {
  switch (part) {
    case ACL_FLOAT16:
      return ACL_COMPLEX32;
    case ACL_DOUBLE:
      return ACL_COMPLEX128;
    default:
      return ACL_COMPLEX64;  // FLOAT, and BFLOAT16, whose range half parts lack
  }
}

}  // namespace

aclDataType PromoteDtypes(aclDataType a, aclDataType b) noexcept {
  const DtypeInfo* info_a = FindDtype(a);
  const DtypeInfo* info_b = FindDtype(b);
  if (info_a == nullptr || info_b == nullptr) return ACL_DT_UNDEFINED;
  if (a == b) return info_a->kind == DtypeKind::kNone ? ACL_DT_UNDEFINED : a;
  if (!IsNumber(*info_a) || !IsNumber(*info_b)) return ACL_DT_UNDEFINED;

  if (Rank(*info_a) < Rank(*info_b)) std::swap(info_a, info_b);  // from here on `a` is of the higher kind
  switch (Rank(*info_a)) {
    case 1:
      return Rank(*info_b) == 0 ? info_a->dtype : PromoteIntegers(*info_a, *info_b);
    case 2:
      return Rank(*info_b) < 2 ? info_a->dtype : PromoteFloats(info_a->dtype, info_b->dtype);
    default:
      return Rank(*info_b) < 2 ? info_a->dtype : ComplexOf(PromoteFloats(PartOf(*info_a), PartOf(*info_b)));
  }
}

aclDataType PromoteWithScalar(aclDataType tensor, aclDataType scalar) noexcept {
  const DtypeInfo* info = FindDtype(tensor);
  const DtypeInfo* scalar_info = FindDtype(scalar);
  if (info == nullptr || scalar_info == nullptr || !IsNumber(*info) || !IsNumber(*scalar_info)) return ACL_DT_UNDEFINED;
  if (Rank(*scalar_info) <= Rank(*info)) return tensor;
  switch (Rank(*scalar_info)) {
    case 1:
      return ACL_INT64;
    case 2:
      return ACL_FLOAT;
    default:
      return info->kind == DtypeKind::kFloating ? ComplexOf(tensor) : ACL_COMPLEX64;
  }
}

bool CanCast(aclDataType from, aclDataType to) noexcept {
  const DtypeInfo* source = FindDtype(from);
  const DtypeInfo* target = FindDtype(to);
  if (source == nullptr || target == nullptr) return false;
  if (source->kind == DtypeKind::kNone || target->kind == DtypeKind::kNone) return false;
  const auto floating = [](const DtypeInfo& info) {
    return info.kind == DtypeKind::kFloating || info.kind == DtypeKind::kNarrowFloat;
  };
  const bool to_complex = target->kind == DtypeKind::kComplex;
  if (source->kind == DtypeKind::kComplex) return to_complex;
  if (target->kind == DtypeKind::kBool) return source->kind == DtypeKind::kBool;
  return !floating(*source) || floating(*target) || to_complex;
}

}  // namespace portacl
