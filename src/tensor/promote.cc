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

// The common type of two different integer types.
aclDataType PromoteIntegers(const DtypeInfo& a, const DtypeInfo& b) {
  if (a.kind == b.kind) return a.bytes > b.bytes ? a.dtype : b.dtype;
  const DtypeInfo& wider = a.bytes > b.bytes ? a : b;
  return a.bytes == b.bytes ? ACL_INT16 : wider.dtype;  // UINT8 with INT8, or with a wider signed type
}

aclDataType PromoteFloats(aclDataType a, aclDataType b) {
  if (a == b) return a;
  return a == ACL_DOUBLE || b == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
}

// Whether the type is UINT16 or a wider unsigned type.
bool IsWideUnsigned(const DtypeInfo& info) { return info.kind == DtypeKind::kUnsigned && info.bytes > 1; }

bool IsDouble(aclDataType dtype) { return dtype == ACL_DOUBLE || dtype == ACL_COMPLEX128; }

aclDataType ComplexOf(bool is_double) { return is_double ? ACL_COMPLEX128 : ACL_COMPLEX64; }

}  // namespace

bool CanCast(aclDataType from, aclDataType to) noexcept {
  const DtypeInfo* source = FindDtype(from);
  const DtypeInfo* target = FindDtype(to);
  if (source == nullptr || target == nullptr) return false;
  const auto floating = [](const DtypeInfo& info) {
    return info.kind == DtypeKind::kFloating || info.kind == DtypeKind::kNarrowFloat;
  };
  if (floating(*source) && !floating(*target) && target->kind != DtypeKind::kComplex) return false;
  return CanStore(from, to) && (source->kind != DtypeKind::kComplex || target->kind == DtypeKind::kComplex);
}

inline namespace v1 {

aclDataType PromoteDtypes(aclDataType a, aclDataType b) noexcept {
  const DtypeInfo* info_a = FindDtype(a);
  const DtypeInfo* info_b = FindDtype(b);
  if (info_a == nullptr || info_b == nullptr) return ACL_DT_UNDEFINED;
  if (a == b) return info_a->kind == DtypeKind::kNone ? ACL_DT_UNDEFINED : a;
  if (!IsNumber(*info_a) || !IsNumber(*info_b)) return ACL_DT_UNDEFINED;
  if (IsWideUnsigned(*info_a) || IsWideUnsigned(*info_b)) return ACL_DT_UNDEFINED;

  if (Rank(*info_a) < Rank(*info_b)) std::swap(info_a, info_b);  // from here on `a` is of the higher kind
  switch (Rank(*info_a)) {
    case 1:
      return Rank(*info_b) == 0 ? info_a->dtype : PromoteIntegers(*info_a, *info_b);
    case 2:
      return Rank(*info_b) < 2 ? info_a->dtype : PromoteFloats(info_a->dtype, info_b->dtype);
    default:
      return ComplexOf(IsDouble(a) || IsDouble(b));
  }
}

aclDataType PromoteWithScalar(aclDataType tensor, aclDataType scalar) noexcept {
  const DtypeInfo* info = FindDtype(tensor);
  const DtypeInfo* scalar_info = FindDtype(scalar);
  if (info == nullptr || scalar_info == nullptr || !IsNumber(*info) || !IsNumber(*scalar_info)) return ACL_DT_UNDEFINED;
  const int rank = Rank(*info), scalar_rank = Rank(*scalar_info);
  if (scalar_rank == 3) return rank == 3 ? tensor : ComplexOf(tensor == ACL_DOUBLE);
  if (IsWideUnsigned(*info) && scalar_rank != 1) return ACL_DT_UNDEFINED;
  if (scalar_rank <= rank) return tensor;
  return scalar_rank == 1 ? scalar : ACL_FLOAT;
}

bool CanStore(aclDataType from, aclDataType to) noexcept {
  const DtypeInfo* source = FindDtype(from);
  const DtypeInfo* target = FindDtype(to);
  if (source == nullptr || target == nullptr) return false;
  if (source->kind == DtypeKind::kNone || target->kind == DtypeKind::kNone) return false;
  if (target->kind == DtypeKind::kBool) return source->kind == DtypeKind::kBool;
  return source->kind != DtypeKind::kComplex || target->kind == DtypeKind::kComplex ||
         target->kind == DtypeKind::kFloating;
}

}  // namespace v1
}  // namespace portacl
