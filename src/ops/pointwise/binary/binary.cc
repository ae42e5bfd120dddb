// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and their formulas in C++ where lanes do not compute them.
#include <algorithm>
#include <cmath>

#include "base/dtype.h"
#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/binary/binary_lanes.h"
#include "ops/pointwise/binary/binary_spec.h"

namespace portacl::ops::binary {
namespace {

double Atan2(double y, double x) { return std::atan2(y, x); }

// The difference of equal infinities would be NaN.
double Distance(double x, double y) { return x == y ? 0 : std::abs(x - y); }
double Larger(double x, double y) { return x > y || std::isnan(x) ? x : y; }

double LogAddExp(double x, double y) { return Larger(x, y) + std::log1p(std::exp(-Distance(x, y))); }
double LogAddExp2(double x, double y) {
  constexpr double kLog2OfE = 1.44269504088896340736;
  return Larger(x, y) + kLog2OfE * std::log1p(std::exp2(-Distance(x, y)));
}

template <double (*function)(double, double)>
struct InDouble {
  double operator()(double x, double y) const { return function(x, y); }
};
template <Function lanes_function, double (*function)(double, double)>
PointwiseKernel Kernel(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(lanes_function, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = 1, .repeats = true};
  return FindScalarKernel<InDouble<function>, 2, double>(dtype, 20);
}

// Chosen by whether the result has 16 bits.
template <Function wide, Function narrow, double (*function)(double, double)>
void Plan(exec::PlanBuilder& plan) {
  const bool is_narrow = ElementBytes(plan.OperandView(plan.Output("out")).dtype) == 2;
  PlanPointwise(plan, is_narrow ? Kernel<narrow, function> : Kernel<wide, function>);
}

constexpr exec::PlanFunction PlanAtan2 = families::Pointwise<(Kernel<Function::kAtan2, Atan2>)>;
constexpr exec::PlanFunction PlanLogAddExp = (Plan<Function::kLogAddExp, Function::kLogAddExpForNarrow, LogAddExp>);
constexpr exec::PlanFunction PlanLogAddExp2 = (Plan<Function::kLogAddExp2, Function::kLogAddExp2ForNarrow, LogAddExp2>);

}  // namespace

}  // namespace portacl::ops::binary

#include "ops/pointwise/binary/binary_functions.inc"
