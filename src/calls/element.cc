// SPDX-License-Identifier: Apache-2.0
// Element <-> number, see element.h.
#include "calls/element.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace portacl::calls {
namespace {

constexpr FloatFormat kFloat16 = {2, 11, -14, 15};
constexpr FloatFormat kBfloat16 = {2, 8, -126, 127};
constexpr FloatFormat kFloat32 = {4, 24, -126, 127};
constexpr FloatFormat kFloat64 = {8, 53, -1022, 1023};

struct IntegerRange {
  long double low;
  long double high;
};

IntegerRange RangeOf(aclDataType dtype) {
  const int bits = static_cast<int>(aclDataTypeSize(dtype)) * 8;
  const bool is_unsigned = dtype == ACL_UINT8 || dtype == ACL_UINT16 || dtype == ACL_UINT32 || dtype == ACL_UINT64;
  if (is_unsigned) return {0, std::ldexp(1.0L, bits) - 1};
  return {-std::ldexp(1.0L, bits - 1), std::ldexp(1.0L, bits - 1) - 1};
}

long double DecodeFloat(const FloatFormat& format, uint64_t bits) {
  const int fraction_bits = format.significand_bits - 1;
  const int sign_shift = format.bytes * 8 - 1;
  const uint64_t fraction = bits & ((uint64_t{1} << fraction_bits) - 1);
  const int field_max = 2 * format.max_exponent + 1;
  const int field = static_cast<int>(bits >> fraction_bits) & field_max;
  const bool negative = ((bits >> sign_shift) & 1) != 0;
  long double magnitude = 0;
  if (field == field_max) {
    magnitude =
        fraction == 0 ? std::numeric_limits<long double>::infinity() : std::numeric_limits<long double>::quiet_NaN();
  } else if (field == 0) {
    magnitude = std::ldexp(static_cast<long double>(fraction), format.min_exponent - fraction_bits);
  } else {
    const uint64_t significand = fraction | (uint64_t{1} << fraction_bits);
    magnitude = std::ldexp(static_cast<long double>(significand), field - format.max_exponent - fraction_bits);
  }
  return negative ? -magnitude : magnitude;
}

uint64_t EncodeFloat(const FloatFormat& format, long double value) {
  const int fraction_bits = format.significand_bits - 1;
  const uint64_t sign = static_cast<uint64_t>(std::signbit(value)) << (format.bytes * 8 - 1);
  const uint64_t infinity = static_cast<uint64_t>(2 * format.max_exponent + 1) << fraction_bits;
  if (std::isnan(value)) return sign | infinity | (uint64_t{1} << (fraction_bits - 1));
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| in [2^(exponent-1), 2^exponent)
  const int unit = std::max(exponent - 1, format.min_exponent) - fraction_bits;
  // nearbyint rounds half to even in the default mode; long double holds every significand exactly.
  const auto steps = static_cast<uint64_t>(std::nearbyint(std::ldexp(std::fabs(value), -unit)));
  // A subnormal has unit == min_exponent - fraction_bits and field 0; a carry out of the fraction moves to the next
  // field by itself.
  const auto biased = static_cast<uint64_t>(unit + fraction_bits - format.min_exponent);
  const uint64_t bits = (biased << fraction_bits) + steps;
  return sign | std::min(bits, infinity);
}

}  // namespace

const FloatFormat* FindFloatFormat(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
      return &kFloat16;
    case ACL_BF16:
      return &kBfloat16;
    case ACL_FLOAT:
      return &kFloat32;
    case ACL_DOUBLE:
      return &kFloat64;
    default:
      return nullptr;
  }
}

size_t ElementBytes(aclDataType dtype) { return aclDataTypeSize(dtype); }

aclDataType PartDtype(aclDataType dtype) {
  if (dtype == ACL_COMPLEX32) return ACL_FLOAT16;
  return dtype == ACL_COMPLEX64 ? ACL_FLOAT : dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
}

std::vector<std::byte> Encode(aclDataType dtype, const std::vector<double>& values) {
  const size_t size = ElementBytes(dtype);
  std::vector<std::byte> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i)
    StoreElement(dtype, static_cast<long double>(values[i]), bytes.data() + i * size);
  return bytes;
}

std::vector<double> Decode(aclDataType dtype, const std::vector<std::byte>& bytes) {
  const size_t size = ElementBytes(dtype);
  std::vector<double> values(bytes.size() / size);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(LoadElement(dtype, bytes.data() + i * size));
  return values;
}

uint64_t ElementBits(aclDataType dtype, const void* element) {
  uint64_t bits = 0;  // little-endian hosts only, as everywhere in the library
  std::memcpy(&bits, element, std::min(ElementBytes(dtype), sizeof(bits)));
  return bits;
}

bool SameElement(aclDataType dtype, const void* a, const void* b) {
  const aclDataType part = PartDtype(dtype);
  const size_t bytes = ElementBytes(part);
  for (size_t at = 0; at < ElementBytes(dtype); at += bytes) {
    const void* const first = static_cast<const std::byte*>(a) + at;
    const void* const second = static_cast<const std::byte*>(b) + at;
    const bool both_nan = std::isnan(LoadElement(part, first)) && std::isnan(LoadElement(part, second));
    if (!both_nan && ElementBits(part, first) != ElementBits(part, second)) return false;
  }
  return true;
}

long double LoadElement(aclDataType dtype, const void* element) {
  dtype = PartDtype(dtype);  // the real part comes first
  const uint64_t bits = ElementBits(dtype, element);
  if (const FloatFormat* format = FindFloatFormat(dtype)) return DecodeFloat(*format, bits);
  switch (dtype) {
    case ACL_INT8:
      return static_cast<int8_t>(bits);
    case ACL_INT16:
      return static_cast<int16_t>(bits);
    case ACL_INT32:
      return static_cast<int32_t>(bits);
    case ACL_INT64:
      return static_cast<int64_t>(bits);
    case ACL_BOOL:
      return bits != 0 ? 1 : 0;
    default:
      return bits;
  }
}

void StoreElement(aclDataType dtype, long double value, void* element) {
  if (PartDtype(dtype) != dtype) {
    std::memset(element, 0, ElementBytes(dtype));
    dtype = PartDtype(dtype);
  }
  uint64_t bits = 0;
  if (const FloatFormat* format = FindFloatFormat(dtype)) {
    bits = EncodeFloat(*format, value);
  } else if (dtype == ACL_BOOL) {
    bits = value != 0 ? 1 : 0;
  } else if (!std::isnan(value)) {
    const IntegerRange range = RangeOf(dtype);
    const long double whole = std::clamp(std::trunc(value), range.low, range.high);
    bits = whole < 0 ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole);
  }
  std::memcpy(element, &bits, std::min(ElementBytes(dtype), sizeof(bits)));
}

std::string DescribeElement(aclDataType dtype, const void* element) {
  std::ostringstream text;
  text << "0x" << std::hex << ElementBits(dtype, element) << " (" << std::dec;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << LoadElement(dtype, element) << ")";
  return text.str();
}

}  // namespace portacl::calls
