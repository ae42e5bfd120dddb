// SPDX-License-Identifier: Apache-2.0
// Distance between a result and the exact value in units in the last place (ULP) of the result's format.
#pragma once

#include <cmath>
#include <limits>

#include "acl/acl.h"

namespace portacl::calls {

// An exact value, of which a double may represent only the first 53 bits: value + tail.
struct ExactValue {
  template <class Number>
  ExactValue(Number exact)  // NOLINT(google-explicit-constructor): a number is its value
      : value(static_cast<double>(exact)), tail(static_cast<double>(exact - static_cast<Number>(value))) {
    if (!(std::abs(value) < std::numeric_limits<double>::infinity())) tail = 0;
  }
  ExactValue(double first_bits, double rest) : value(first_bits), tail(rest) {}

  double value;
  double tail;
};

// |got - exact| / ulp(exact), where ulp is that of the format at `exact`. NaN equals NaN; an infinite `exact` requires
// the same infinity. A finite `exact` beyond the overflow threshold rounds to infinity, so infinity is then exact;
// below it, an infinite result is treated as the next power of two, from which it was rounded. The sign of zero is
// ignored: use SameBits. If the exact value is a sum that cancels, `term` is the largest term: the ULP is that of the
// larger of the two. With an infinite term, any value is valid. `counted_in`: the dtype whose ULP is the unit, if not
// that of the result; for an integer that was truncated from such a value, the error of that value.
double UlpError(aclDataType dtype, const void* got, ExactValue exact, double term = 0,
                aclDataType counted_in = ACL_DT_UNDEFINED);
double UlpError(float got, double exact);
double UlpError(double got, long double exact);

// The same in units of the dtype's epsilon times the larger of value and term, but at least one subnormal: a relative
// error.
double EpsilonError(aclDataType dtype, const void* got, ExactValue exact, double term = 0,
                    aclDataType counted_in = ACL_DT_UNDEFINED);

// Whether `got` is 0, with the sign of `exact`, if `exact` is below the smallest normal number, or so little above it
// that an error of `limit` ULP makes it smaller.
bool IsZeroForSubnormal(aclDataType dtype, const void* got, double exact, double limit);

}  // namespace portacl::calls
