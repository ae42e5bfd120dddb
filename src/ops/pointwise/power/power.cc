// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and their formulas in C++ for dtypes without lanes.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/power/power_lanes.h"
#include "ops/pointwise/power/power_spec.h"

namespace portacl::ops::power {
namespace {

constexpr double kNsPerElement = 0.5;  // for lanes; twice the time of AVX-512

// The power by logarithm and exponential, with special cases for zeros.
Complex128 ComplexPowerOf(Complex128 base, Complex128 exponent) {
  if (exponent == 0.0) return 1;
  if (base != 0.0) return std::pow(base, exponent);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return exponent.real() > 0 ? Complex128(0) : Complex128(kNan, kNan);
}

// Powers of integers by squaring, modulo 2^n.
template <class T>
T PowerOf(T base, T exponent) {
  if constexpr (kIsComplex<T>) {
    return static_cast<T>(ComplexPowerOf(Complex128(base), Complex128(exponent)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return exponent == 0 || base == 1 ? 1 : std::pow(base, exponent);  // also for a signalling NaN
  } else {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) return base == 1 ? T(1) : base != -1 ? T(0) : exponent % 2 == 0 ? T(1) : T(-1);
    }
    uint64_t result = 1;  // narrower types would be promoted to int
    uint64_t square = static_cast<uint64_t>(base);
    for (auto bits = static_cast<uint64_t>(exponent); bits != 0; bits >>= 1) {
      if ((bits & 1) != 0) result *= square;
      square *= square;
    }
    return static_cast<T>(result);
  }
}

struct PowTensorTensorOf {
  template <class T>
  T operator()(T x, T y) const {
    return PowerOf(x, y);
  }
};
template <class T>
struct PowTensorScalarOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x) const { return PowerOf(x, this->first); }
};
struct SquareOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return Multiply(x, x);
    else
      return PowerOf(x, T(2));
  }
};
struct SquareRootOf {
  double operator()(double x) const { return std::sqrt(x); }
  template <class R>
  std::complex<R> operator()(std::complex<R> z) const {
    return static_cast<std::complex<R>>(std::sqrt(Complex128(z)));
  }
};
template <class T>
struct PowScalarTensorOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T y) const { return PowerOf(this->first, y); }
};

#define PORTACL_NUMBERS double, int8_t, int16_t, int32_t, int64_t, uint8_t, Complex64, Complex128

PointwiseKernel PowTensorTensorKernel(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(Function::kPowTensorTensor, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = kNsPerElement, .repeats = true};
  return FindScalarKernel<PowTensorTensorOf, 2, PORTACL_NUMBERS>(dtype, 20);
}
template <Function function, template <class> class F>
PointwiseKernel WithScalarKernel(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = kNsPerElement};
  return FindTypedKernel<F, 1, PORTACL_NUMBERS>(dtype, 20);
}
PointwiseKernel SquareKernel(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(Function::kSquare, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = 0.1};
  return FindScalarKernel<SquareOf, 1, PORTACL_NUMBERS>(dtype, 5);
}

// As in PyTorch: the power of -inf would be inf, and that of -0 would be 0.
PointwiseKernel SquareRootKernel(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(Function::kSquareRoot, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = kNsPerElement};
  return FindScalarKernel<SquareRootOf, 1, double, Complex64, Complex128>(dtype, 5);
}

// Squares, the most common powers, need no logarithm.
void PlanPowTensorScalar(exec::PlanBuilder& plan) {
  Complex128 exponent = 0;
  ScalarToComplex(*plan.Attribute<const aclScalar*>("exponent"), &exponent);
  const KernelFinder find = exponent == 2.0   ? SquareKernel
                            : exponent == 0.5 ? SquareRootKernel
                                              : WithScalarKernel<Function::kPowTensorScalar, PowTensorScalarOf>;
  PlanPointwise(plan, find, 1);
}
void PlanPowScalarTensor(exec::PlanBuilder& plan) {
  PlanPointwise(plan, WithScalarKernel<Function::kPowScalarTensor, PowScalarTensorOf>, 1);
}

// For lists: one scalar, which may be a tensor, or a list of them.
void PlanPowScalar(exec::PlanBuilder& plan) {
  constexpr KernelFinder kPower = WithScalarKernel<Function::kPowTensorScalar, PowTensorScalarOf>;
  double exponent = 0;
  const int scalar = plan.schema().Find("scalar");
  if (scalar >= 0 && plan.Argument(scalar).kind() == exec::ValueKind::kScalar)
    ScalarToDouble(*plan.Argument(scalar).As<const aclScalar*>(), &exponent);
  PlanPointwise(plan, exponent == 2 ? SquareKernel : kPower);
}
void PlanPowScalarAndTensor(exec::PlanBuilder& plan) {
  PlanPointwise(plan, WithScalarKernel<Function::kPowScalarTensor, PowScalarTensorOf>);
}

constexpr exec::PlanFunction PlanPowTensorTensor = families::Pointwise<PowTensorTensorKernel>;
constexpr exec::PlanFunction PlanPow = PlanPowTensorTensor;

#undef PORTACL_NUMBERS

}  // namespace

}  // namespace portacl::ops::power

#include "ops/pointwise/power/power_functions.inc"
