// SPDX-License-Identifier: Apache-2.0
//
// How quotients and remainders are planned, and their formulas in C++ for dtypes without lanes. The code never divides
// an integer by 0, nor the smallest by -1, which would raise a signal.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/arithmetic/arithmetic_lanes.h"
#include "ops/pointwise/arithmetic/arithmetic_spec.h"
#include "ops/pointwise/arithmetic/quotients.h"
#include "tensor/scalar.h"

namespace portacl::ops::arithmetic {
namespace {

template <class T>
constexpr bool IsMinusOne(T y) {
  return std::is_signed_v<T> && y == static_cast<T>(-1);
}

// Truncated toward zero.
struct TruncatedQuotient {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_same_v<T, Bool>) {
      return ToBool(IsTrue(x) && IsTrue(y));
    } else if constexpr (std::is_floating_point_v<T>) {
      return std::trunc(x / y);
    } else {
      if (y == 0) return 0;
      if (IsMinusOne(y)) return static_cast<T>(-static_cast<Modular<T>>(x));
      return static_cast<T>(x / y);
    }
  }
};

// Whether a truncated quotient with this remainder is one above the floor.
template <class T>
bool IsAboveFloor(T rest, T y) {
  return rest != 0 && (rest < 0) != (y < 0);
}

// Rounded down.
struct FloorQuotient {
  Bool operator()(Bool x, Bool y) const { return TruncatedQuotient()(x, y); }
  double operator()(double x, double y) const {
    if (y == 0) return x / y;
    const double rest = std::fmod(x, y);
    const double quotient = (x - rest) / y;
    return std::nearbyint(IsAboveFloor(rest, y) ? quotient - 1 : quotient);
  }
  template <class T>
  T operator()(T x, T y) const {
    const T quotient = TruncatedQuotient()(x, y);
    if (y == 0 || IsMinusOne(y)) return quotient;
    return static_cast<T>(IsAboveFloor(static_cast<T>(x % y), y) ? quotient - 1 : quotient);
  }
};

struct FmodOf {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmod(x, y);
    else
      return y == 0 || IsMinusOne(y) ? T(0) : static_cast<T>(x % y);
  }
};
struct RemainderOf {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      if (y == 0) return x;
    }
    const T rest = FmodOf()(x, y);
    return IsAboveFloor(rest, y) ? static_cast<T>(rest + y) : rest;
  }
};
struct GcdOf {
  template <class T>
  static uint64_t Size(T x) {
    return x < 0 ? -static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  }
  template <class T>
  T operator()(T x, T y) const {
    return static_cast<T>(std::gcd(Size(x), Size(y)));
  }
};
struct DivOf {
  double operator()(double x, double y) const { return x / y; }
  Complex64 operator()(Complex64 x, Complex64 y) const { return Divide(x, y); }
  Complex128 operator()(Complex128 x, Complex128 y) const { return Divide(x, y); }
};

template <class F>
struct ByScalar {
  template <class T>
  struct Of : Taken<T> {
    using Taken<T>::Taken;
    T operator()(T x) const { return F()(x, this->first); }
  };
};

#define PORTACL_INTEGERS int8_t, int16_t, int32_t, int64_t, uint8_t

template <class F>
PointwiseKernel OfTensors(aclDataType dtype) {
  return FindScalarKernel<F, 2, double, PORTACL_INTEGERS, Bool>(dtype, 5);
}
template <class F>
PointwiseKernel OfScalar(aclDataType dtype) {
  return FindTypedKernel<ByScalar<F>::template Of, 1, double, PORTACL_INTEGERS, Bool>(dtype, 5);
}
template <class F>
PointwiseKernel OfNumbers(aclDataType dtype) {
  return FindScalarKernel<F, 2, double, PORTACL_INTEGERS>(dtype, 10);
}
// Stein's algorithm on integers of up to 32 bits, many at a time: every step halves a number, without branches.
template <class T>
void RunGcd(const loops::Tile& tile) {
  constexpr int64_t kBlock = 64, kFew = 4;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const x = tile.Row<const T>(0, row);
    const T* const y = tile.Row<const T>(1, row);
    T* const out = tile.Row<T>(2, row);
    for (int64_t begin = 0; begin < tile.columns; begin += kBlock) {
      const int64_t n = std::min(kBlock, tile.columns - begin);
      if (n < kFew) {
        for (int64_t i = begin; i < begin + n; ++i) out[i] = GcdOf()(x[i], y[i]);
        continue;
      }
      uint32_t odd[kBlock] = {}, other[kBlock] = {};
      int twos[kBlock] = {};  // common factors of 2
      for (int64_t i = 0; i < n; ++i) {
        const auto a = static_cast<uint32_t>(GcdOf::Size(x[begin + i]));
        const auto b = static_cast<uint32_t>(GcdOf::Size(y[begin + i]));
        twos[i] = std::countr_zero(a | b) % 32;
        const uint32_t first = a == 0 ? b : a;
        odd[i] = first == 0 ? 0 : first >> std::countr_zero(first);
        other[i] = a == 0 ? 0 : b;
      }
      for (uint32_t left = 1; left != 0;) {
        left = 0;
        for (int64_t i = 0; i < kBlock; ++i) {
          const uint32_t is_odd = -(other[i] & 1);
          const uint32_t less = std::min(odd[i], other[i]);
          const uint32_t more = std::max(odd[i], other[i]);
          other[i] = (((more - less) & is_odd) | (other[i] & ~is_odd)) >> 1;
          odd[i] = (less & is_odd) | (odd[i] & ~is_odd);
          left |= other[i];
        }
      }
      for (int64_t i = 0; i < n; ++i) out[begin + i] = static_cast<T>(odd[i] << twos[i]);
    }
  }
}

PointwiseKernel GcdKernel(aclDataType dtype) {
  switch (dtype) {
    case ACL_INT8:
      return {.run = RunGcd<int8_t>, .ns_per_element = 10};
    case ACL_UINT8:
      return {.run = RunGcd<uint8_t>, .ns_per_element = 10};
    case ACL_INT16:
      return {.run = RunGcd<int16_t>, .ns_per_element = 10};
    case ACL_INT32:
      return {.run = RunGcd<int32_t>, .ns_per_element = 20};
    default:
      return FindScalarKernel<GcdOf, 2, int64_t>(dtype, 50);
  }
}

// Quotients of integers, however narrow, are computed in float64.
PointwiseKernel InDouble(PointwiseKernel kernel) {
  kernel.dtype = ACL_DOUBLE;
  return kernel;
}
template <Function function, PointwiseKernel (*otherwise)(aclDataType)>
PointwiseKernel LanesOr(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  return lanes == nullptr ? otherwise(dtype) : PointwiseKernel{.run = lanes, .ns_per_element = 0.5, .repeats = true};
}
PointwiseKernel DivKernel(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(Function::kDiv, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = 0.15, .repeats = true};
  const PointwiseKernel complex = FindScalarKernel<DivOf, 2, Complex64, Complex128>(dtype, 5);
  if (complex.run != nullptr) return complex;
  return InDouble(FindScalarKernel<DivOf, 2, double>(ACL_DOUBLE, 0.5));
}
PointwiseKernel DivsKernel(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(Function::kDivs, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = 0.15, .long_scalars = LongScalarsOf(Function::kDivs)};
  const PointwiseKernel complex = FindTypedKernel<ByScalar<DivOf>::Of, 1, Complex64, Complex128>(dtype, 5);
  if (complex.run != nullptr) return complex;
  return InDouble(FindTypedKernel<ByScalar<DivOf>::Of, 1, double>(ACL_DOUBLE, 0.5));
}

// Indexed by the mode.
constexpr KernelFinder kDivModKernels[] = {DivKernel, LanesOr<Function::kDivTrunc, OfTensors<TruncatedQuotient>>,
                                           LanesOr<Function::kDivFloor, OfTensors<FloorQuotient>>};
constexpr KernelFinder kDivsTrunc = LanesOr<Function::kDivsTrunc, OfScalar<TruncatedQuotient>>;
constexpr KernelFinder kDivsFloor = LanesOr<Function::kDivsFloor, OfScalar<FloorQuotient>>;
constexpr KernelFinder kDivModsKernels[] = {DivsKernel, kDivsTrunc, kDivsFloor};
// UINT8 cannot hold a negative scalar: the operands are divided as real numbers.
template <class F, KernelFinder otherwise>
PointwiseKernel OfSigned(aclDataType dtype) {
  return dtype == ACL_UINT8 ? InDouble(OfScalar<F>(ACL_DOUBLE)) : otherwise(dtype);
}
constexpr KernelFinder kDivModsBelow0Kernels[] = {DivsKernel, OfSigned<TruncatedQuotient, kDivsTrunc>,
                                                  OfSigned<FloorQuotient, kDivsFloor>};

#undef PORTACL_INTEGERS

}  // namespace

void PlanDiv(exec::PlanBuilder& plan) { PlanPointwise(plan, DivKernel); }
void PlanDivs(exec::PlanBuilder& plan) { PlanPointwise(plan, DivsKernel, 1); }
void PlanDivMod(exec::PlanBuilder& plan) { PlanPointwise(plan, kDivModKernels[plan.Attribute<int32_t>("mode")]); }
void PlanDivMods(exec::PlanBuilder& plan) {
  Complex128 other = 0;
  ScalarToComplex(*plan.Attribute<const aclScalar*>("other"), &other);
  const auto& kernels = other.real() < 0 ? kDivModsBelow0Kernels : kDivModsKernels;
  PlanPointwise(plan, kernels[plan.Attribute<int32_t>("mode")], 1);
}
void PlanFloorDivide(exec::PlanBuilder& plan) { PlanPointwise(plan, kDivModKernels[2]); }
void PlanFmodTensor(exec::PlanBuilder& plan) { PlanPointwise(plan, LanesOr<Function::kFmodTensor, OfNumbers<FmodOf>>); }
void PlanRemainderTensorTensor(exec::PlanBuilder& plan) {
  PlanPointwise(plan, LanesOr<Function::kRemainderTensorTensor, OfNumbers<RemainderOf>>);
}
void PlanGcd(exec::PlanBuilder& plan) { PlanPointwise(plan, GcdKernel); }

}  // namespace portacl::ops::arithmetic
