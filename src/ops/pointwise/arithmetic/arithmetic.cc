// SPDX-License-Identifier: Apache-2.0
//
// How sums, products and extremes are planned, and their formulas in C++ for dtypes without lanes.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/dtype.h"
#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "loops/tiles/elementwise_calls.h"
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

constexpr ScalarChange kNegative = {
    .real = [](double* values) { values[0] = -values[0]; },
    .whole = [](int64_t* values) { values[0] = static_cast<int64_t>(-static_cast<uint64_t>(values[0])); }};
void PlanAddScalar(exec::PlanBuilder& plan) { PlanPointwise(plan, AddsKernel); }
void PlanSubScalar(exec::PlanBuilder& plan) { PlanPointwise(plan, AddsKernel, 0, kNegative); }
void PlanMulScalar(exec::PlanBuilder& plan) { PlanPointwise(plan, MulsKernel); }

struct Unscale {
  loops::LaneFunction muls;
  size_t bytes;       // per element
  uint32_t infinity;  // its exponent; NaN has it, too
};

template <class Word>
bool HoldsNonFinite(const Word* words, int64_t n, Word exponent) {
  Word found = 0;
  for (int64_t i = 0; i < n; ++i) found |= static_cast<Word>((words[i] & exponent) == exponent);
  return found != 0;
}

// Operands: gradients, foundInf and invScale as they are, gradients. What was looked at is multiplied while it is in
// the first-level cache.
void UnscaleTile(const loops::Tile& tile) {
  constexpr int64_t kBlock = 2048;
  const auto& unscale = *static_cast<const Unscale*>(tile.parameters);
  Scalars<float> scalars = {};
  std::memcpy(scalars.values, tile.operand[2].base, sizeof(float));
  loops::Tile block = tile;
  block.rows = 1;
  block.parameters = &scalars;
  bool found = false;
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t column = 0; column < tile.columns; column += kBlock) {
      const int64_t offset = column * static_cast<int64_t>(unscale.bytes);
      block.columns = std::min(kBlock, tile.columns - column);
      block.operand[0].base = tile.Row<std::byte>(0, row) + offset;
      block.operand[1] = {tile.Row<std::byte>(3, row) + offset, 0, tile.operand[3].column_stride};
      found |=
          unscale.bytes == sizeof(float)
              ? HoldsNonFinite(block.Row<const uint32_t>(0, 0), block.columns, unscale.infinity)
              : HoldsNonFinite(block.Row<const uint16_t>(0, 0), block.columns, static_cast<uint16_t>(unscale.infinity));
      unscale.muls(block);
    }
  }
  // Other threads may do the same.
  if (found) std::atomic_ref(*reinterpret_cast<float*>(tile.operand[1].base)).store(1, std::memory_order_relaxed);
}

void PlanNonFiniteCheckAndUnscale(exec::PlanBuilder& plan) {
  constexpr int kGrads = kForeachNonFiniteCheckAndUnscale.Index("scaledGrads");
  constexpr uint32_t kFoundInf = 2, kInvScale = 4;
  const aclDataType dtype = plan.Tensor(kGrads).dtype;
  const PointwiseKernel muls = MulsKernel(dtype);
  const int found = plan.Output("foundInf"), factor = plan.Input("invScale");
  std::vector<int> operands;
  for (int i = 0; i < plan.Count(kGrads); ++i)
    operands.insert(operands.end(), {plan.Operand(kGrads, i), found, factor, plan.Operand(kGrads, i)});
  plan.ForbidInPlace(factor);
  const Unscale unscale = {.muls = muls.run,
                           .bytes = ElementBytes(dtype),
                           .infinity = dtype == ACL_FLOAT     ? 0x7F800000U
                                       : dtype == ACL_FLOAT16 ? 0x7C00U
                                                              : 0x7F80U};
  const loops::Parameters parameters(unscale);
  loops::ElementwiseCalls(plan, operands, 4,
                          {{.run = UnscaleTile, .ns_per_element = 2 * muls.ns_per_element}, kFoundInf | kInvScale},
                          {&parameters, 1});
}

constexpr exec::PlanFunction PlanAdd = families::Pointwise<AddKernel>;
constexpr exec::PlanFunction PlanSub = families::Pointwise<SubKernel>;
constexpr exec::PlanFunction PlanMul = families::Pointwise<MulKernel>;
constexpr exec::PlanFunction PlanMaximum = families::Pointwise<MaximumKernel>;
constexpr exec::PlanFunction PlanMinimum = families::Pointwise<MinimumKernel>;
constexpr exec::PlanFunction PlanDivScalar = PlanDivs;

#undef PORTACL_INTEGERS

}  // namespace

}  // namespace portacl::ops::arithmetic

#include "ops/pointwise/arithmetic/arithmetic_functions.inc"
