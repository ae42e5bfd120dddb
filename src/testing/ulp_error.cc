// SPDX-License-Identifier: Apache-2.0
// ULP distance, see ulp_error.h.
#include "testing/ulp_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "testing/element.h"

namespace portacl::testing {
namespace {

constexpr double kUnboundedError = std::numeric_limits<double>::infinity();

long double UlpAt(const FloatFormat& format, long double exact) {
  int exponent = format.min_exponent + 1;
  if (exact != 0) std::frexp(exact, &exponent);
  const int binade = std::min(std::max(exponent - 1, format.min_exponent), format.max_exponent);
  return std::ldexp(1.0L, binade - (format.significand_bits - 1));
}

}  // namespace

double UlpError(aclDataType dtype, const void* got, long double exact) {
  const FloatFormat* format = FindFloatFormat(dtype);
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
  return static_cast<double>(std::fabs(value - exact) / UlpAt(*format, exact));
}

double UlpError(float got, double exact) { return UlpError(ACL_FLOAT, &got, exact); }
double UlpError(double got, long double exact) { return UlpError(ACL_DOUBLE, &got, exact); }

}  // namespace portacl::testing
