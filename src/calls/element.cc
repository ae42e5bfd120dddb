// SPDX-License-Identifier: Apache-2.0
// Conversion between elements and numbers, see element.h.
#include "calls/element.h"

#include <algorithm>
#include <array>
#include <bit>
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

constexpr int kDoubleBias = 1023;
constexpr int kDoubleFractionBits = 52;
constexpr uint64_t kDoubleHiddenBit = uint64_t{1} << kDoubleFractionBits;

// Uses integer arithmetic only, as the others do: a double can represent every value of these formats.
double DecodeFloat(const FloatFormat& format, uint64_t bits) {
  if (format.bytes == sizeof(double)) return std::bit_cast<double>(bits);
  const int fraction_bits = format.significand_bits - 1;
  const uint64_t sign = bits >> (format.bytes * 8 - 1) << 63;
  const uint64_t fraction = (bits & ((uint64_t{1} << fraction_bits) - 1)) << (kDoubleFractionBits - fraction_bits);
  const auto field_max = static_cast<uint64_t>(2 * format.max_exponent + 1);
  const uint64_t field = (bits >> fraction_bits) & field_max;
  if (field == 0) {  // the difference subtracts the hidden bit that the exponent adds
    const uint64_t unit = static_cast<uint64_t>(kDoubleBias + format.min_exponent) << kDoubleFractionBits;
    return std::copysign(std::bit_cast<double>(unit | fraction) - std::bit_cast<double>(unit),
                         std::bit_cast<double>(sign));
  }
  const uint64_t exponent = field == field_max ? 2 * kDoubleBias + 1 : field + kDoubleBias - field_max / 2;
  return std::bit_cast<double>(sign | exponent << kDoubleFractionBits | fraction);
}

uint64_t EncodeFloat(const FloatFormat& format, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  if (format.bytes == sizeof(double) && !std::isnan(value)) return bits;
  const int fraction_bits = format.significand_bits - 1;
  const uint64_t sign = bits >> 63 << (format.bytes * 8 - 1);
  const uint64_t infinity = static_cast<uint64_t>(2 * format.max_exponent + 1) << fraction_bits;
  const int exponent = static_cast<int>(bits >> kDoubleFractionBits & (2 * kDoubleBias + 1)) - kDoubleBias;
  uint64_t significand = bits & (kDoubleHiddenBit - 1);
  if (exponent > kDoubleBias) return sign | infinity | uint64_t{significand != 0} << (fraction_bits - 1);
  const int dropped = kDoubleFractionBits - fraction_bits + std::max(format.min_exponent - exponent, 0);
  if (dropped > kDoubleFractionBits + 1) return sign;  // less than half of the smallest subnormal
  significand |= kDoubleHiddenBit;                     // no hidden bit: subnormal in float64, and rounded to 0 by now
  const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1);
  const uint64_t half = uint64_t{1} << (dropped - 1);
  const uint64_t below = significand >> dropped;
  const uint64_t steps = below + static_cast<uint64_t>(rest > half || (rest == half && below % 2 != 0));
  // The hidden bit adds one to the exponent field, and a carry out of the fraction adds one more; a subnormal has
  // neither.
  const auto biased = static_cast<uint64_t>(std::max(exponent - format.min_exponent, 0));
  return sign | std::min((biased << fraction_bits) + steps, infinity);
}

uint64_t EncodeFloat(const FloatFormat& format, long double value) {
  if (const auto narrow = static_cast<double>(value); static_cast<long double>(narrow) == value || std::isnan(value))
    return EncodeFloat(format, narrow);
  const int fraction_bits = format.significand_bits - 1;
  const uint64_t sign = static_cast<uint64_t>(std::signbit(value)) << (format.bytes * 8 - 1);
  const uint64_t infinity = static_cast<uint64_t>(2 * format.max_exponent + 1) << fraction_bits;
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| in [2^(exponent-1), 2^exponent)
  const int unit = std::max(exponent - 1, format.min_exponent) - fraction_bits;
  // nearbyint rounds half to even in the default mode; long double can represent every significand exactly.
  const auto steps = static_cast<uint64_t>(std::nearbyint(std::ldexp(std::fabs(value), -unit)));
  // A subnormal has unit == min_exponent - fraction_bits and field 0; a carry out of the fraction increments the
  // exponent field automatically.
  const auto biased = static_cast<uint64_t>(unit + fraction_bits - format.min_exponent);
  const uint64_t bits = (biased << fraction_bits) + steps;
  return sign | std::min(bits, infinity);
}

// Truncates toward zero and clamps to the range; NaN becomes 0.
template <class Integer, class Real>
uint64_t Truncate(Real value) {
  constexpr auto kLowest = std::numeric_limits<Integer>::min();
  constexpr auto kHighest = std::numeric_limits<Integer>::max();
  if (std::isnan(value)) return 0;
  if (value <= static_cast<Real>(kLowest)) return static_cast<uint64_t>(kLowest);
  if (value >= static_cast<Real>(kHighest)) return static_cast<uint64_t>(kHighest);  // rounded up: 2^63 for INT64
  return static_cast<uint64_t>(static_cast<Integer>(value));
}

// The bits that StoreElement stores, in the low bytes.
template <class Real>
uint64_t Rounded(aclDataType dtype, Real value) {
  switch (dtype) {
    case ACL_FLOAT:
      return EncodeFloat(kFloat32, value);
    case ACL_FLOAT16:
      return EncodeFloat(kFloat16, value);
    case ACL_BF16:
      return EncodeFloat(kBfloat16, value);
    case ACL_DOUBLE:
      return EncodeFloat(kFloat64, value);
    case ACL_BOOL:
      return value != 0 ? 1 : 0;
    case ACL_INT8:
    case ACL_INT16:
    case ACL_UINT8:
    case ACL_INT32:
      return Truncate<int32_t>(value);
    case ACL_INT64:
      return Truncate<int64_t>(value);
    case ACL_UINT16:
      return Truncate<uint16_t>(value);
    case ACL_UINT32:
      return Truncate<uint32_t>(value);
    default:
      return Truncate<uint64_t>(value);
  }
}

// An integer of `bytes` bytes; assumes a little-endian host, as the whole library does.
uint64_t LoadBits(const void* at, size_t bytes) {
  uint64_t bits = 0;
  switch (bytes) {  // a constant size compiles to one instruction
    case 1:
      return std::to_integer<uint64_t>(*static_cast<const std::byte*>(at));
    case 2:
      std::memcpy(&bits, at, 2);
      break;
    case 4:
      std::memcpy(&bits, at, 4);
      break;
    default:
      std::memcpy(&bits, at, std::min(bytes, sizeof(bits)));
  }
  return bits;
}

void StoreBits(void* at, uint64_t bits, size_t bytes) {
  switch (bytes) {
    case 1:
      *static_cast<std::byte*>(at) = static_cast<std::byte>(bits);
      break;
    case 2:
      std::memcpy(at, &bits, 2);
      break;
    case 4:
      std::memcpy(at, &bits, 4);
      break;
    default:
      std::memcpy(at, &bits, std::min(bytes, sizeof(bits)));
  }
}

// The value of a real element's bits; `Real` represents it, or rounds it once.
template <class Real>
Real Number(aclDataType dtype, uint64_t bits) {
  switch (dtype) {
    case ACL_FLOAT:
      return DecodeFloat(kFloat32, bits);
    case ACL_FLOAT16:
      return DecodeFloat(kFloat16, bits);
    case ACL_BF16:
      return DecodeFloat(kBfloat16, bits);
    case ACL_DOUBLE:
      return DecodeFloat(kFloat64, bits);
    case ACL_INT8:
      return static_cast<int8_t>(bits);
    case ACL_INT16:
      return static_cast<int16_t>(bits);
    case ACL_INT32:
      return static_cast<int32_t>(bits);
    case ACL_INT64:
      return static_cast<Real>(static_cast<int64_t>(bits));
    case ACL_BOOL:
      return bits != 0 ? 1 : 0;
    default:
      return static_cast<Real>(bits);
  }
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

size_t ElementBytes(aclDataType dtype) {
  // Needed for every element: results of the library's functions are cached.
  static const auto bytes = [] {
    std::array<uint8_t, 64> of{};
    for (size_t i = 0; i < of.size(); ++i) of[i] = static_cast<uint8_t>(aclDataTypeSize(static_cast<aclDataType>(i)));
    return of;
  }();
  const auto number = static_cast<size_t>(dtype);
  return number < bytes.size() ? bytes[number] : aclDataTypeSize(dtype);
}

aclDataType PartDtype(aclDataType dtype) {
  if (dtype == ACL_COMPLEX32) return ACL_FLOAT16;
  return dtype == ACL_COMPLEX64 ? ACL_FLOAT : dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
}

std::vector<std::byte> Encode(aclDataType dtype, const std::vector<double>& values) {
  const size_t size = ElementBytes(dtype);
  const aclDataType part = PartDtype(dtype);
  const size_t part_bytes = ElementBytes(part);
  std::vector<std::byte> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) StoreBits(bytes.data() + i * size, Rounded(part, values[i]), part_bytes);
  return bytes;
}

std::vector<double> Decode(aclDataType dtype, const std::vector<std::byte>& bytes) {
  const size_t size = ElementBytes(dtype);
  const aclDataType part = PartDtype(dtype);
  const size_t part_bytes = ElementBytes(part);
  std::vector<double> values(bytes.size() / size);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = Number<double>(part, LoadBits(bytes.data() + i * size, part_bytes));
  return values;
}

uint64_t ElementBits(aclDataType dtype, const void* element) { return LoadBits(element, ElementBytes(dtype)); }

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
  return Number<long double>(dtype, ElementBits(dtype, element));
}

std::complex<long double> LoadComplex(aclDataType dtype, const void* element) {
  const aclDataType part = PartDtype(dtype);
  if (part == dtype) return LoadElement(dtype, element);
  return {LoadElement(part, element), LoadElement(part, static_cast<const std::byte*>(element) + ElementBytes(part))};
}

void StoreElement(aclDataType dtype, long double value, void* element) {
  if (PartDtype(dtype) != dtype) {
    std::memset(element, 0, ElementBytes(dtype));
    dtype = PartDtype(dtype);
  }
  StoreBits(element, Rounded(dtype, value), ElementBytes(dtype));
}

std::string DescribeElement(aclDataType dtype, const void* element) {
  if (const aclDataType part = PartDtype(dtype); part != dtype) {
    return DescribeElement(part, element) + ", " +
           DescribeElement(part, static_cast<const std::byte*>(element) + ElementBytes(part));
  }
  std::ostringstream text;
  text << "0x" << std::hex << ElementBits(dtype, element) << " (" << std::dec;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << LoadElement(dtype, element) << ")";
  return text.str();
}

}  // namespace portacl::calls
