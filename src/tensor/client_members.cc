// SPDX-License-Identifier: Apache-2.0
// Members of the classes in opdev/common_types.h, which clients bind by their mangled names. Part of libnnopbase alone:
// the classes that clients see differ from those of the other sources, so this one must not include their headers.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "aclnn/opdev/common_types.h"
#include "base/bfloat16.h"
#include "base/float16.h"
#include "tensor/values.h"

namespace {

using portacl::ScalarValue;

template <class T>
T Read(const ScalarValue& value, size_t index = 0) noexcept {
  T element;
  std::memcpy(&element, static_cast<const char*>(value.bytes) + index * sizeof(T), sizeof(T));
  return element;
}

template <class To, class From>
To Convert(From value) noexcept {
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> && std::is_floating_point_v<From>) {
    using Wide = std::conditional_t<std::is_unsigned_v<To>, uint64_t, int64_t>;
    constexpr From kBeyond = std::is_unsigned_v<To> ? From(0x1p64) : From(0x1p63);
    if (std::isnan(value)) return 0;
    if (value >= kBeyond) return static_cast<To>(std::numeric_limits<Wide>::max());
    if (value < From(-0x1p63)) return static_cast<To>(std::numeric_limits<int64_t>::min());
    if (value < 0) return static_cast<To>(static_cast<int64_t>(value));
    return static_cast<To>(static_cast<Wide>(value));
  } else {
    return static_cast<To>(value);
  }
}

// Calls `use` with the value in its own type; a complex number's real part.
template <class Use>
auto WithValue(const ScalarValue& value, Use use) {
  switch (value.dtype) {
    case ACL_FLOAT:
    case ACL_COMPLEX64:
      return use(Read<float>(value));
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
      return use(Read<double>(value));
    case ACL_FLOAT16:
      return use(portacl::Float16ToFloat(Read<uint16_t>(value)));
    case ACL_BF16:
      return use(portacl::Bfloat16ToFloat(Read<uint16_t>(value)));
    case ACL_BOOL:
      return use(Read<uint8_t>(value) != 0);
    case ACL_INT8:
      return use(Read<int8_t>(value));
    case ACL_INT16:
      return use(Read<int16_t>(value));
    case ACL_INT32:
      return use(Read<int32_t>(value));
    case ACL_INT64:
      return use(Read<int64_t>(value));
    case ACL_UINT8:
      return use(Read<uint8_t>(value));
    case ACL_UINT16:
      return use(Read<uint16_t>(value));
    case ACL_UINT32:
      return use(Read<uint32_t>(value));
    case ACL_UINT64:
      return use(Read<uint64_t>(value));
    default:
      return use(0);
  }
}

template <class To>
To As(const aclScalar* scalar) noexcept {
  return WithValue(portacl::ValueOf(scalar), [](auto value) { return Convert<To>(value); });
}

template <class Part>
std::complex<Part> AsComplex(const aclScalar* scalar) noexcept {
  const ScalarValue value = portacl::ValueOf(scalar);
  Part imaginary = 0;
  if (value.dtype == ACL_COMPLEX64) imaginary = static_cast<Part>(Read<float>(value, 1));
  if (value.dtype == ACL_COMPLEX128) imaginary = static_cast<Part>(Read<double>(value, 1));
  return {As<Part>(scalar), imaginary};
}

}  // namespace

#define EXPORT __attribute__((visibility("default")))

EXPORT void* aclTensor::GetStorageAddr() const {
  void* address = nullptr;
  aclGetRawTensorAddr(this, &address);
  return address;
}

EXPORT void* aclTensor::GetData() const {
  int64_t offset = 0;
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclGetViewOffset(this, &offset);
  aclGetDataType(this, &dtype);
  auto* const storage = static_cast<char*>(GetStorageAddr());
  return storage == nullptr ? nullptr : storage + offset * static_cast<int64_t>(aclDataTypeSize(dtype));
}

EXPORT const void* aclScalar::GetData() const { return portacl::ValueOf(this).bytes; }
EXPORT op::DataType aclScalar::GetDataType() const { return static_cast<op::DataType>(portacl::ValueOf(this).dtype); }
EXPORT float aclScalar::ToFloat() const { return As<float>(this); }
EXPORT double aclScalar::ToDouble() const { return As<double>(this); }
EXPORT bool aclScalar::ToBool() const { return As<bool>(this); }
EXPORT int8_t aclScalar::ToInt8() const { return As<int8_t>(this); }
EXPORT int16_t aclScalar::ToInt16() const { return As<int16_t>(this); }
EXPORT int32_t aclScalar::ToInt32() const { return As<int32_t>(this); }
EXPORT int64_t aclScalar::ToInt64() const { return As<int64_t>(this); }
EXPORT uint8_t aclScalar::ToUint8() const { return As<uint8_t>(this); }
EXPORT uint16_t aclScalar::ToUint16() const { return As<uint16_t>(this); }
EXPORT uint32_t aclScalar::ToUint32() const { return As<uint32_t>(this); }
EXPORT uint64_t aclScalar::ToUint64() const { return As<uint64_t>(this); }
EXPORT std::complex<float> aclScalar::ToComplex64() const { return AsComplex<float>(this); }
EXPORT std::complex<double> aclScalar::ToComplex128() const { return AsComplex<double>(this); }

EXPORT ge::AscendString aclScalar::ToString() const {
  const ScalarValue value = portacl::ValueOf(this);
  if (value.dtype == ACL_COMPLEX64) return fmt::format("({},{})", Read<float>(value), Read<float>(value, 1)).c_str();
  if (value.dtype == ACL_COMPLEX128) return fmt::format("({},{})", Read<double>(value), Read<double>(value, 1)).c_str();
  return WithValue(value, [](auto real) {
    if constexpr (std::is_floating_point_v<decltype(real)>) {
      return ge::AscendString(fmt::format("{}", real).c_str());
    } else {
      return ge::AscendString(fmt::format("{:d}", real).c_str());
    }
  });
}

#define DEFINE_ARRAY(type, array)                                     \
  template <>                                                         \
  EXPORT const type* aclArray<type>::GetData() const {                \
    return portacl::ValuesOf(static_cast<const array*>(this)).data(); \
  }                                                                   \
  template <>                                                         \
  EXPORT uint64_t aclArray<type>::Size() const {                      \
    return portacl::ValuesOf(static_cast<const array*>(this)).size(); \
  }
DEFINE_ARRAY(int64_t, aclIntArray)
DEFINE_ARRAY(float, aclFloatArray)
DEFINE_ARRAY(bool, aclBoolArray)
