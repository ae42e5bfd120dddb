// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room, and their formulas, which are computed in float64.
#include <algorithm>
#include <cmath>
#include <span>

#include "aclnnop/aclnn_atan2.h"
#include "aclnnop/aclnn_logaddexp.h"
#include "aclnnop/aclnn_logaddexp2.h"
#include "families/define.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/binary/binary_spec.h"

namespace portacl::ops::binary {
namespace {

double Atan2(double y, double x) { return std::atan2(y, x); }

// The difference of equal infinities is no number.
double Distance(double x, double y) { return x == y ? 0 : std::abs(x - y); }
double Larger(double x, double y) { return x > y || std::isnan(x) ? x : y; }

double LogAddExp(double x, double y) { return Larger(x, y) + std::log1p(std::exp(-Distance(x, y))); }
double LogAddExp2(double x, double y) {
  constexpr double kLog2OfE = 1.44269504088896340736;
  return Larger(x, y) + kLog2OfE * std::log1p(std::exp2(-Distance(x, y)));
}

// The result is float64, too, so that it is rounded once: sums are often next to the middle of two short numbers.
template <double (*function)(double, double)>
struct InDouble {
  template <class T>
  double operator()(T x, T y) const {
    return function(static_cast<double>(x), static_cast<double>(y));
  }
};
template <double (*function)(double, double)>
PointwiseKernel Kernel(aclDataType dtype) {
  return FindScalarKernel<InDouble<function>, 2, float, double>(dtype, 20);
}

}  // namespace

PORTACL_BINARY(Atan2, Kernel<Atan2>)
PORTACL_BINARY(LogAddExp, Kernel<LogAddExp>)
PORTACL_BINARY(LogAddExp2, Kernel<LogAddExp2>)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(Atan2), PORTACL_BIND(LogAddExp), PORTACL_BIND(LogAddExp2)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::binary
