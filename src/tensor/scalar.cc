// SPDX-License-Identifier: Apache-2.0
#include "tensor/scalar.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/bfloat16.h"
#include "base/dtype.h"
#include "base/float16.h"
#include "tensor/argument.h"

namespace portacl {
namespace {

template <class T>
T Read(const aclScalar& scalar, size_t index = 0) noexcept {
  T value;
  std::memcpy(&value, scalar.bytes + index * sizeof(T), sizeof(T));
  return value;
}

// Calls `use` with the real value in a type that holds it exactly; false for types without one.
template <class Use>
bool WithRealValue(const aclScalar& scalar, Use use) noexcept {
  switch (scalar.dtype) {
    case ACL_FLOAT:
      return use(static_cast<double>(Read<float>(scalar))), true;
    case ACL_DOUBLE:
      return use(Read<double>(scalar)), true;
    case ACL_FLOAT16:
      return use(static_cast<double>(Float16ToFloat(Read<uint16_t>(scalar)))), true;
    case ACL_BF16:
      return use(static_cast<double>(Bfloat16ToFloat(Read<uint16_t>(scalar)))), true;
    case ACL_BOOL:
      return use(int64_t{Read<uint8_t>(scalar) != 0}), true;
    case ACL_INT8:
      return use(int64_t{Read<int8_t>(scalar)}), true;
    case ACL_INT16:
      return use(int64_t{Read<int16_t>(scalar)}), true;
    case ACL_INT32:
      return use(int64_t{Read<int32_t>(scalar)}), true;
    case ACL_INT64:
      return use(Read<int64_t>(scalar)), true;
    case ACL_UINT8:
      return use(uint64_t{Read<uint8_t>(scalar)}), true;
    case ACL_UINT16:
      return use(uint64_t{Read<uint16_t>(scalar)}), true;
    case ACL_UINT32:
      return use(uint64_t{Read<uint32_t>(scalar)}), true;
    case ACL_UINT64:
      return use(Read<uint64_t>(scalar)), true;
    default:
      return false;
  }
}

int64_t Saturate(int64_t value) noexcept { return value; }

int64_t Saturate(uint64_t value) noexcept {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return value > static_cast<uint64_t>(kMost) ? kMost : static_cast<int64_t>(value);
}

int64_t Saturate(double value) noexcept {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (std::isnan(value)) return 0;
  if (value >= kBeyond) return std::numeric_limits<int64_t>::max();
  if (value < -kBeyond) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

int64_t Modulo(int64_t value) noexcept { return value; }
int64_t Modulo(uint64_t value) noexcept { return static_cast<int64_t>(value); }
int64_t Modulo(double value) noexcept {
  if (!std::isfinite(value)) return 0;
  const double rest = std::fmod(std::trunc(value), 0x1p64);  // exact
  const auto size = static_cast<uint64_t>(std::abs(rest));
  return static_cast<int64_t>(rest < 0 ? -size : size);
}

// The size in bytes of one value in the client's memory; 0 when a scalar cannot have this type.
size_t ScalarBytes(aclDataType dtype) noexcept {
  const DtypeInfo* info = FindDtype(dtype);
  if (info == nullptr || info->kind == DtypeKind::kPackedInteger || dtype == ACL_COMPLEX32) return 0;
  // For types below 8 bits the table's size is not the storage size: one value is passed in one byte.
  return info->kind == DtypeKind::kNarrowFloat ? 1 : info->bytes;
}

}  // namespace

inline namespace v1 {

bool ScalarToDouble(const aclScalar& scalar, double* value) noexcept {
  return WithRealValue(scalar, [&](auto real) { *value = static_cast<double>(real); });
}

bool ScalarToInt64(const aclScalar& scalar, int64_t* value) noexcept {
  return WithRealValue(scalar, [&](auto real) { *value = Saturate(real); });
}

bool ScalarModulo(const aclScalar& scalar, int64_t* value) noexcept {
  return WithRealValue(scalar, [&](auto real) { *value = Modulo(real); });
}

bool ScalarToComplex(const aclScalar& scalar, std::complex<double>* value) noexcept {
  if (scalar.dtype == ACL_COMPLEX64) {
    *value = {Read<float>(scalar, 0), Read<float>(scalar, 1)};
    return true;
  }
  if (scalar.dtype == ACL_COMPLEX128) {
    *value = {Read<double>(scalar, 0), Read<double>(scalar, 1)};
    return true;
  }
  return WithRealValue(scalar, [&](auto real) { *value = static_cast<double>(real); });
}

}  // namespace v1
}  // namespace portacl

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  using namespace portacl;
  if (CheckPointer(__func__, "value", value) != 0) return nullptr;
  const size_t bytes = ScalarBytes(dataType);
  if (bytes == 0) {
    Failf(ACLNN_ERR_PARAM_INVALID, "{}: argument 'dataType': expected a type of which one value can be copied, got {}",
          __func__, DtypeName(dataType));
    return nullptr;
  }
  aclScalar* scalar = Take<aclScalar>();
  if (scalar == nullptr) {
    Failf(ACLNN_ERR_INNER, "{}: out of host memory", __func__);
    return nullptr;
  }
  scalar->dtype = dataType;
  std::memcpy(scalar->bytes, value, bytes);
  return scalar;
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  if (scalar == nullptr) return 0;
  if (scalar->alive())
    portacl::GiveBack(const_cast<aclScalar*>(scalar));
  else
    portacl::NotifyOfDeadObject(__func__, scalar);
  return 0;
}
