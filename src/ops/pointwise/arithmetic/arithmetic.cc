// SPDX-License-Identifier: Apache-2.0
//
// How sums, products and extremes are planned, and their formulas in C++ for dtypes without lanes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/float16.h"
#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/arithmetic/arithmetic_lanes.h"
#include "ops/pointwise/arithmetic/arithmetic_spec.h"
#include "ops/pointwise/arithmetic/quotients.h"

namespace portacl::ops::arithmetic {
namespace {

// The lanes of a function, or what `otherwise` finds for dtypes that have none.
template <Function function>
PointwiseKernel LanesOr(aclDataType dtype, PointwiseKernel (*otherwise)(aclDataType, double)) {
  constexpr double kNsPerElement = 0.15;
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  if (lanes == nullptr) return otherwise(dtype, kNsPerElement);
  return {.run = lanes, .ns_per_element = kNsPerElement, .repeats = true, .long_scalars = LongScalarsOf(function)};
}

// a + b c; integers wrap modulo 2^n.
template <class T>
T Sum(T a, T b, T c) {
  if constexpr (std::is_same_v<T, Bool>) {
    return ToBool(IsTrue(a) || (IsTrue(b) && IsTrue(c)));
  } else if constexpr (kIsComplex<T>) {
    return AddScaled(a, b, c);
  } else if constexpr (std::is_floating_point_v<T>) {
    return a + b * c;
  } else {
    using Wide = uint64_t;  // narrower types would be promoted to int
    return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b) * static_cast<Wide>(c));
  }
}

template <class T>
T Product(T a, T b) {
  if constexpr (std::is_same_v<T, Bool>) {
    return ToBool(IsTrue(a) && IsTrue(b));
  } else if constexpr (kIsComplex<T>) {
    return Multiply(a, b);
  } else if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
}

template <class T>
T Negative(T a) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(-static_cast<Modular<T>>(a));
  else
    return -a;
}

template <class T>
struct AddOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x, T y) const { return Sum(x, this->first, y); }
};
template <class T>
struct SubOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x, T y) const { return Sum(x, Negative(this->first), y); }
};
template <class T>
struct AddsOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x) const { return Sum(x, static_cast<T>(1), this->first); }
};
template <class T>
struct RsubsOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x) const { return Sum(this->first, Negative(this->second), x); }
};
struct MulOf {
  template <class T>
  T operator()(T x, T y) const {
    return Product(x, y);
  }
};
template <class T>
struct MulsOf : Taken<T> {
  using Taken<T>::Taken;
  T operator()(T x) const { return Product(x, this->first); }
};
struct MaximumOf {
  template <class T>
  T operator()(T x, T y) const {
    return x > y || x != x ? x : y;
  }
};
struct MinimumOf {
  template <class T>
  T operator()(T x, T y) const {
    return x < y || x != x ? x : y;
  }
};

#define PORTACL_INTEGERS int8_t, int16_t, int32_t, int64_t, uint8_t

PointwiseKernel AddKernel(aclDataType dtype) {
  return LanesOr<Function::kAdd>(dtype,
                                 FindTypedKernel<AddOf, 2, double, PORTACL_INTEGERS, Bool, Complex64, Complex128>);
}
PointwiseKernel SubKernel(aclDataType dtype) {
  return LanesOr<Function::kSub>(dtype, FindTypedKernel<SubOf, 2, double, PORTACL_INTEGERS, Complex64, Complex128>);
}
PointwiseKernel AddsKernel(aclDataType dtype) {
  return LanesOr<Function::kAdds>(dtype,
                                  FindTypedKernel<AddsOf, 1, double, PORTACL_INTEGERS, Bool, Complex64, Complex128>);
}
PointwiseKernel RsubsKernel(aclDataType dtype) {
  return LanesOr<Function::kRsubs>(dtype, FindTypedKernel<RsubsOf, 1, double, PORTACL_INTEGERS, Complex64, Complex128>);
}
PointwiseKernel MulKernel(aclDataType dtype) {
  return LanesOr<Function::kMul>(dtype,
                                 FindScalarKernel<MulOf, 2, double, PORTACL_INTEGERS, Bool, Complex64, Complex128>);
}
PointwiseKernel MulsKernel(aclDataType dtype) {
  return LanesOr<Function::kMuls>(dtype,
                                  FindTypedKernel<MulsOf, 1, double, PORTACL_INTEGERS, Bool, Complex64, Complex128>);
}
PointwiseKernel MaximumKernel(aclDataType dtype) {
  return LanesOr<Function::kMaximum>(dtype, FindScalarKernel<MaximumOf, 2, double, PORTACL_INTEGERS, Bool>);
}
PointwiseKernel MinimumKernel(aclDataType dtype) {
  return LanesOr<Function::kMinimum>(dtype, FindScalarKernel<MinimumOf, 2, double, PORTACL_INTEGERS, Bool>);
}

uint64_t Times(int64_t a, int64_t b) { return static_cast<uint64_t>(a) * static_cast<uint64_t>(b); }

// alpha times other for Adds; its negative for Subs.
constexpr ScalarChange kAlphaTimesOther = {
    .real = [](double* values) { values[0] *= values[1]; },
    .whole = [](int64_t* values) { values[0] = static_cast<int64_t>(Times(values[0], values[1])); },
    .complex = [](Complex128* values) { values[0] = AddScaled(Complex128(), values[1], values[0]); }};
constexpr ScalarChange kMinusAlphaTimesOther = {
    .real = [](double* values) { values[0] *= -values[1]; },
    .whole = [](int64_t* values) { values[0] = static_cast<int64_t>(-Times(values[0], values[1])); },
    .complex = [](Complex128* values) { values[0] = AddScaled(Complex128(), -values[1], values[0]); }};

void PlanAdds(exec::PlanBuilder& plan) { PlanPointwise(plan, AddsKernel, 1, kAlphaTimesOther); }
void PlanSubs(exec::PlanBuilder& plan) { PlanPointwise(plan, AddsKernel, 1, kMinusAlphaTimesOther); }
void PlanRsubs(exec::PlanBuilder& plan) { PlanPointwise(plan, RsubsKernel, 1); }
void PlanMuls(exec::PlanBuilder& plan) { PlanPointwise(plan, MulsKernel, 1); }

// A factor that the run reads, used as the parameter of Muls.
struct FactorOfTile {
  loops::LaneFunction muls;
  aclDataType dtype;  // dtype of the factor
};

template <class T>
void MultiplyTile(const loops::Tile& tile, loops::LaneFunction muls, T factor) {
  const Scalars<T> scalars = {{factor}};
  loops::Tile product = tile;
  product.operand[1] = tile.operand[2];
  product.parameters = &scalars;
  muls(product);
}

// Operands of the tile: x, the factor (one element for all), and out.
void MultiplyByElement(const loops::Tile& tile) {
  const auto& factor = *static_cast<const FactorOfTile*>(tile.parameters);
  const std::byte* const element = tile.operand[1].base;
  const auto read = [&]<class T>(T value) { return std::memcpy(&value, element, sizeof(value)), value; };
  if (factor.dtype == ACL_INT32) return MultiplyTile<int64_t>(tile, factor.muls, read(int32_t{}));
  if (factor.dtype == ACL_FLOAT16) return MultiplyTile(tile, factor.muls, Float16ToFloat(read(uint16_t{})));
  MultiplyTile(tile, factor.muls, read(float{}));
}

void PlanForeachMulScalar(exec::PlanBuilder& plan) {
  constexpr int kX = kForeachMulScalar.Index("x"), kOut = kForeachMulScalar.Index("out");
  constexpr uint32_t kSecondRepeated = 2;
  const int scalar = plan.Input("scalar");
  const PointwiseKernel muls = MulsKernel(plan.Tensor(kX).dtype);
  std::vector<int> operands;
  for (int i = 0; i < plan.Count(kX); ++i)
    operands.insert(operands.end(), {plan.Operand(kX, i), scalar, plan.Operand(kOut, i)});
  plan.ForbidInPlace(scalar);
  loops::ElementwiseCalls(
      plan, operands, 3, {.run = MultiplyByElement, .ns_per_element = muls.ns_per_element, .repeated = kSecondRepeated},
      FactorOfTile{muls.run, plan.OperandView(scalar).dtype});
}

constexpr exec::PlanFunction PlanAdd = families::Pointwise<AddKernel>;
constexpr exec::PlanFunction PlanSub = families::Pointwise<SubKernel>;
constexpr exec::PlanFunction PlanMul = families::Pointwise<MulKernel>;
constexpr exec::PlanFunction PlanMaximum = families::Pointwise<MaximumKernel>;
constexpr exec::PlanFunction PlanMinimum = families::Pointwise<MinimumKernel>;

#undef PORTACL_INTEGERS

}  // namespace

}  // namespace portacl::ops::arithmetic

#include "ops/pointwise/arithmetic/arithmetic_functions.inc"
