// SPDX-License-Identifier: Apache-2.0
// ULP distance, see ulp_error.h.
#include "calls/ulp_error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "calls/element.h"

namespace portacl::calls {
namespace {

constexpr double kUnboundedError = std::numeric_limits<double>::infinity();

double PowerOfTwo(int exponent) {
  if (exponent < -1022) return std::ldexp(1.0, exponent);
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// The ULP as if exponents had no upper limit.
double UnlimitedUlpAt(const FloatFormat& format, double value) {
  const int exponent = static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7FF) - 1023;
  return PowerOfTwo(std::max(exponent, format.min_exponent) - (format.significand_bits - 1));
}

double UlpAt(const FloatFormat& format, ExactValue exact) {
  // A value that rounds up to a power of two has the ULP of the interval below it.
  const bool is_below = exact.tail != 0 && std::signbit(exact.tail) != std::signbit(exact.value);
  const double value = is_below ? std::nextafter(exact.value, 0) : exact.value;
  return std::min(UnlimitedUlpAt(format, value), PowerOfTwo(format.max_exponent - (format.significand_bits - 1)));
}

// |got - exact| in the unit that `unit` returns, which is called for finite numbers only. Terms may exceed the format's
// range. The difference is exact where it matters: when `got` and the value are close.
template <class Unit>
double ErrorIn(const FloatFormat* format, aclDataType dtype, const void* got, ExactValue exact, double term,
               const Unit& unit) {
  if (std::isinf(term)) return 0;
  const long double loaded = LoadElement(dtype, got);
  if (format == nullptr) {  // integers and BOOL have no ULP
    return loaded == static_cast<long double>(exact.value) + static_cast<long double>(exact.tail) ? 0 : kUnboundedError;
  }
  const auto value = static_cast<double>(loaded);
  if (std::isnan(exact.value) || std::isnan(value))
    return std::isnan(exact.value) && std::isnan(value) ? 0 : kUnboundedError;
  if (std::isinf(exact.value)) return value == exact.value ? 0 : kUnboundedError;
  if (std::isinf(value)) {
    // In halves: a double cannot represent twice the largest power of two.
    const double beyond = std::copysign(PowerOfTwo(format->max_exponent), value);
    const double difference = (beyond - exact.value / 2) - exact.tail / 2;
    const double rounded_away = PowerOfTwo(format->max_exponent - (format->significand_bits - 1)) / 4;
    if (std::copysign(1, value) * difference <= rounded_away) return 0;
    return std::abs(difference) / (unit() / 2);
  }
  return std::abs((value - exact.value) - exact.tail) / unit();
}

// The integer in the range of INT32 with these low bits that is nearest to a value.
double NearestWithBits(aclDataType dtype, const void* got, double number) {
  constexpr double kHighest = std::numeric_limits<int32_t>::max(), kLowest = std::numeric_limits<int32_t>::min();
  const double modulus = PowerOfTwo(8 * static_cast<int>(ElementBytes(dtype)));
  const auto low_bits = static_cast<double>(LoadElement(dtype, got));
  const double within = std::clamp(number, kLowest, kHighest);
  const double whole = low_bits + std::nearbyint((within - low_bits) / modulus) * modulus;
  return whole > kHighest ? whole - modulus : whole < kLowest ? whole + modulus : whole;
}

// The distance of `exact` from the values that truncate to the integer `got`, in ULP of a float format.
double TruncatedError(aclDataType dtype, const void* got, ExactValue exact, double unit) {
  const bool wraps = dtype == ACL_INT8 || dtype == ACL_UINT8 || dtype == ACL_INT16;
  auto whole = static_cast<double>(LoadElement(dtype, got));
  if (std::isnan(exact.value)) return whole == 0 ? 0 : kUnboundedError;
  if (wraps) whole = NearestWithBits(dtype, got, exact.value);
  double low = whole > 0 ? whole : whole - 1;
  double high = whole < 0 ? whole : whole + 1;
  const aclDataType limited = wraps ? ACL_INT32 : dtype;
  alignas(8) std::byte end[8];
  StoreElement(limited, -std::numeric_limits<long double>::infinity(), end);
  if (static_cast<double>(LoadElement(limited, end)) == whole) low = -std::numeric_limits<double>::infinity();
  StoreElement(limited, std::numeric_limits<long double>::infinity(), end);
  if (static_cast<double>(LoadElement(limited, end)) == whole) high = std::numeric_limits<double>::infinity();
  return std::max({0.0, low - exact.value, exact.value - high}) / unit;
}

}  // namespace

double UlpError(aclDataType dtype, const void* got, ExactValue exact, double term, aclDataType counted_in) {
  const FloatFormat* format = FindFloatFormat(counted_in == ACL_DT_UNDEFINED ? dtype : counted_in);
  if (format != nullptr && FindFloatFormat(dtype) == nullptr && !std::isinf(term))
    return TruncatedError(dtype, got, exact, std::max(UlpAt(*format, exact), UnlimitedUlpAt(*format, term)));
  return ErrorIn(format, dtype, got, exact, term,
                 [&] { return std::max(UlpAt(*format, exact), UnlimitedUlpAt(*format, term)); });
}

double EpsilonError(aclDataType dtype, const void* got, ExactValue exact, double term, aclDataType counted_in) {
  const FloatFormat* format = FindFloatFormat(counted_in == ACL_DT_UNDEFINED ? dtype : counted_in);
  return ErrorIn(format, dtype, got, exact, term, [&] {
    const double size = std::max(std::abs(exact.value), std::abs(term));
    return std::max(std::ldexp(size, 1 - format->significand_bits), UnlimitedUlpAt(*format, 0));
  });
}

double UlpError(float got, double exact) { return UlpError(ACL_FLOAT, &got, exact); }
double UlpError(double got, long double exact) { return UlpError(ACL_DOUBLE, &got, exact); }

bool IsZeroForSubnormal(aclDataType dtype, const void* got, double exact, double limit) {
  const FloatFormat* format = FindFloatFormat(dtype);
  if (format == nullptr) return false;
  const double smallest = PowerOfTwo(format->min_exponent);
  if (!(std::abs(exact) < smallest + limit * UlpAt(*format, smallest))) return false;
  const long double value = LoadElement(dtype, got);
  return value == 0 && std::signbit(value) == std::signbit(exact);
}

}  // namespace portacl::calls
