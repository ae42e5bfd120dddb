// SPDX-License-Identifier: Apache-2.0
#include "loops/elements/store_scalar.h"

#include <cstring>

#include "base/dtype.h"
#include "loops/elements/conversion.h"

namespace portacl::loops {
namespace {

bool IsIntegral(aclDataType dtype) {
  const DtypeKind kind = FindDtype(dtype)->kind;
  return kind == DtypeKind::kSigned || kind == DtypeKind::kUnsigned;
}

}  // namespace

inline namespace v1 {

void StoreScalar(const aclScalar& scalar, aclDataType dtype, std::byte* element) {
  aclScalar real;
  real.dtype = scalar.dtype;
  std::memcpy(real.bytes, scalar.bytes, sizeof(real.bytes));
  if (IsComplex(scalar.dtype) && !IsComplex(dtype) && dtype != ACL_BOOL) real.dtype = PartOf(scalar.dtype);
  int64_t whole = 0;
  if (!IsIntegral(dtype) || IsIntegral(real.dtype)) {
    Convert(ConversionOf(real.dtype, dtype), reinterpret_cast<const std::byte*>(real.bytes), element, 1);
  } else if (ScalarModulo(real, &whole)) {
    std::memcpy(element, &whole, ElementBytes(dtype));
  }
}

}  // namespace v1
}  // namespace portacl::loops
