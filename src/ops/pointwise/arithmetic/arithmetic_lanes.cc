// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/arithmetic/arithmetic_lanes.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/arithmetic/arithmetic_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/dispatch.h"
#include "simd/in_float64.h"
#include "simd/larger.h"
#include "simd/round_to_odd.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::arithmetic::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using ScalarsOfCall = families::Scalars<float>;

struct FirstScalar {
  explicit FirstScalar(const ScalarsOfCall& scalars) : scalar(scalars.values[0]) {}
  float scalar;
};

// first + factor * second
struct SumOfTwo {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V first, V second) const {
    return hn::MulAdd(hn::Set(d, factor), second, first);
  }
  double factor = 1;
};
using SumToOdd = simd::RoundedToOdd<SumOfTwo>;

struct AddToOdd {
  explicit AddToOdd(const ScalarsOfCall& scalars) : sum{{static_cast<double>(scalars.values[0])}} {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return simd::InFloat64(d, sum, x, y);
  }
  SumToOdd sum;
};

struct SubToOdd : AddToOdd {
  explicit SubToOdd(const ScalarsOfCall& scalars) : AddToOdd(scalars) { sum.function.factor = -sum.function.factor; }
};

struct Add : FirstScalar {
  using FirstScalar::FirstScalar;
  using ForLongScalars = AddToOdd;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::MulAdd(hn::Set(d, scalar), y, x);
  }
};

struct Sub : FirstScalar {
  using FirstScalar::FirstScalar;
  using ForLongScalars = SubToOdd;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::NegMulAdd(hn::Set(d, scalar), y, x);
  }
};

struct Mul {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Mul(x, y);
  }
};

struct Div {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Div(x, y);
  }
};

// Truncated. EMU128 changes the sign of zeros.
struct DivTrunc {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    const V quotient = hn::Div(x, y);
    return hn::CopySign(hn::Trunc(quotient), quotient);
  }
};

// Rounded down, from float64: a quotient of float32 values is further from the next integer than the rounding error of
// float64.
struct FloorOfQuotient {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V quotient = hn::Div(x, y);
    const V floor = hn::CopySign(hn::Floor(quotient), quotient);
    // For finite x and infinite y of opposite sign, whose quotient is -0.
    const auto is_negative = hn::Lt(hn::CopySign(hn::Set(d, 1.0), quotient), hn::Zero(d));
    const auto is_below = hn::And(hn::Ne(x, hn::Zero(d)), is_negative);
    const V of_infinite = hn::IfThenElse(is_below, hn::Set(d, -1.0), quotient);
    const V of_finite = hn::IfThenElse(hn::Eq(hn::Abs(y), hn::Inf(d)), of_infinite, floor);
    const V result =
        hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Inf(d)), of_finite, hn::Set(d, std::numeric_limits<double>::quiet_NaN()));
    return hn::IfThenElse(hn::Eq(y, hn::Zero(d)), quotient, result);
  }
};
template <class Function>
struct QuotientInFloat64 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return simd::InFloat64(d, Function(), x, y);
  }
};
struct DivFloor : QuotientInFloat64<FloorOfQuotient> {
  using Narrow = QuotientInFloat64<simd::RoundedToOdd<FloorOfQuotient>>;
};

// Up to this quotient, the product of a divisor and a truncated quotient is exact in float64.
constexpr double kMostQuotient = 0x1p28;

struct MagnitudeOfFmod {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V quotient = hn::Div(x, y);
    // Distance from the next integer as in DivFloor. For an infinite y, all of x remains.
    const V rest = hn::NegMulAdd(hn::Floor(quotient), y, x);
    return hn::IfThenElse(hn::Lt(quotient, hn::Set(d, 1.0)), x, rest);
  }
};

// `result`, replaced by the C library's result in lanes whose quotient exceeds kMostQuotient.
template <class D, class V>
HWY_NOINLINE V WithLargeQuotients(D d, V x, V y, V result) {
  HWY_ALIGN float from[hn::MaxLanes(D())];
  HWY_ALIGN float by[hn::MaxLanes(D())];
  HWY_ALIGN float to[hn::MaxLanes(D())];
  hn::StoreU(x, d, from);
  hn::StoreU(y, d, by);
  hn::StoreU(result, d, to);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (from[i] / static_cast<float>(kMostQuotient) >= by[i]) to[i] = std::fmod(from[i], by[i]);
  }
  return hn::LoadU(d, to);
}

// The remainder of the truncated quotient, with the sign of x. Exact.
struct FmodTensor {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V a = hn::Abs(x), b = hn::Abs(y);
    V rest = simd::InFloat64(d, MagnitudeOfFmod(), a, b);
    const auto is_large = hn::Ge(hn::Mul(a, hn::Set(d, static_cast<float>(1 / kMostQuotient))), b);
    if (HWY_UNLIKELY(!hn::AllFalse(d, is_large))) rest = WithLargeQuotients(d, a, b, rest);
    return hn::CopySign(rest, x);
  }
};

// The same with the quotient rounded down.
struct RemainderTensorTensor {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V zero = hn::Zero(d);
    const V rest = FmodTensor()(d, x, y);
    const auto is_other = hn::Xor(hn::Lt(rest, zero), hn::Lt(y, zero));
    return hn::IfThenElse(hn::And(hn::Ne(rest, zero), is_other), hn::Add(rest, y), rest);
  }
};

struct Maximum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return simd::Larger(x, y);
  }
};

struct Minimum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return simd::Smaller(x, y);
  }
};

struct Adds : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Add(x, hn::Set(d, scalar));
  }
};

struct MulsToOdd : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::ProductToOdd(d, x, hn::Set(d, scalar));
  }
};

struct Muls : FirstScalar {
  using FirstScalar::FirstScalar;
  using ForLongScalars = MulsToOdd;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, hn::Set(d, scalar));
  }
};

struct DivsToOdd : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::QuotientToOdd(d, x, hn::Set(d, scalar));
  }
};

struct Divs : FirstScalar {
  using FirstScalar::FirstScalar;
  using ForLongScalars = DivsToOdd;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(x, hn::Set(d, scalar));
  }
};

struct DivsTrunc : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return DivTrunc()(d, x, hn::Set(d, scalar));
  }
};

template <class Quotient>
struct DivsFloorBy : FirstScalar {
  using FirstScalar::FirstScalar;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Quotient()(d, x, hn::Set(d, scalar));
  }
};
struct DivsFloor : DivsFloorBy<DivFloor> {
  using DivsFloorBy::DivsFloorBy;
  using Narrow = DivsFloorBy<DivFloor::Narrow>;
};

struct RsubsToOdd {
  explicit RsubsToOdd(const ScalarsOfCall& scalars)
      : other(scalars.values[0]), sum{{-static_cast<double>(scalars.values[1])}} {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::InFloat64(d, sum, hn::Set(d, other), x);
  }
  float other;
  SumToOdd sum;
};

struct Rsubs {
  using ForLongScalars = RsubsToOdd;
  explicit Rsubs(const ScalarsOfCall& scalars) : other(scalars.values[0]), alpha(scalars.values[1]) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::NegMulAdd(hn::Set(d, alpha), x, hn::Set(d, other));
  }
  float other, alpha;
};

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  OWN(Add) \
  OWN(Adds) \
  OWN(Sub) \
  OWN(Mul) \
  OWN(Muls) \
  OWN(Div) \
  OWN(Divs) \
  OWN(Rsubs) \
  OWN(Maximum) \
  OWN(Minimum) \
  OWN(DivTrunc) \
  OWN(DivsTrunc) \
  OWN(DivFloor) \
  OWN(DivsFloor) \
  OWN(FmodTensor) \
  OWN(RemainderTensorTensor)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::arithmetic::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::arithmetic, Lanes, (Function function, aclDataType dtype, int64_t target),
                       FindLanes, function, dtype)
