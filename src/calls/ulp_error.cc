// SPDX-License-Identifier: Apache-2.0
// ULP distance, see ulp_error.h.
#include "calls/ulp_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calls/element.h"

namespace portacl::calls {
namespace {

constexpr double kUnboundedError = std::numeric_limits<double>::infinity();

// As if exponents had no upper limit.
long double UnlimitedUlpAt(const FloatFormat& format, long double value) {
  int exponent = format.min_exponent + 1;
  if (value != 0) std::frexp(value, &exponent);
  return std::ldexp(1.0L, std::max(exponent - 1, format.min_exponent) - (format.significand_bits - 1));
}

long double UlpAt(const FloatFormat& format, long double exact) {
  const long double largest = std::ldexp(1.0L, format.max_exponent - (format.significand_bits - 1));
  return std::min(UnlimitedUlpAt(format, exact), largest);
}

// |got - exact| in units of what `unit` returns, which is asked only about finite numbers. Terms may lie beyond the
// format.
template <class Unit>
double ErrorIn(const FloatFormat* format, aclDataType dtype, const void* got, long double exact, long double term,
               const Unit& unit) {
  if (std::isinf(term)) return 0;
  long double value = LoadElement(dtype, got);
  if (format == nullptr) return value == exact ? 0 : kUnboundedError;  // integers and BOOL have no last place
  if (std::isnan(exact) || std::isnan(value)) return std::isnan(exact) && std::isnan(value) ? 0 : kUnboundedError;
  if (std::isinf(exact)) return value == exact ? 0 : kUnboundedError;
  if (std::isinf(value)) {
    const long double beyond = std::ldexp(1.0L, format->max_exponent + 1);
    const long double threshold = beyond - UlpAt(*format, beyond) / 2;
    if (std::signbit(value) == std::signbit(exact) && std::fabs(exact) >= threshold) return 0;
    value = std::copysign(beyond, value);
  }
  return static_cast<double>(std::fabs(value - exact) / unit());
}

}  // namespace

double UlpError(aclDataType dtype, const void* got, long double exact, long double term, aclDataType counted_in) {
  const FloatFormat* format = FindFloatFormat(counted_in == ACL_DT_UNDEFINED ? dtype : counted_in);
  return ErrorIn(format, dtype, got, exact, term,
                 [&] { return std::max(UlpAt(*format, exact), UnlimitedUlpAt(*format, term)); });
}

double EpsilonError(aclDataType dtype, const void* got, long double exact, long double term, aclDataType counted_in) {
  const FloatFormat* format = FindFloatFormat(counted_in == ACL_DT_UNDEFINED ? dtype : counted_in);
  return ErrorIn(format, dtype, got, exact, term, [&] {
    const long double size = std::max(std::fabs(exact), std::fabs(term));
    return std::max(std::ldexp(size, 1 - format->significand_bits), UnlimitedUlpAt(*format, 0));
  });
}

double UlpError(float got, double exact) { return UlpError(ACL_FLOAT, &got, exact); }
double UlpError(double got, long double exact) { return UlpError(ACL_DOUBLE, &got, exact); }

bool IsZeroForSubnormal(aclDataType dtype, const void* got, long double exact, double limit) {
  const FloatFormat* format = FindFloatFormat(dtype);
  const long double value = LoadElement(dtype, got);
  if (format == nullptr || value != 0 || std::signbit(value) != std::signbit(exact)) return false;
  const long double smallest = std::ldexp(1.0L, format->min_exponent);
  return std::fabs(exact) < smallest + limit * UlpAt(*format, smallest);
}

}  // namespace portacl::calls
