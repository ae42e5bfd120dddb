// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/unary/unary_lanes.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/unary/unary_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "hwy/contrib/math/math-inl.h"
#include "simd/atan2.h"
#include "simd/dispatch.h"
#include "simd/erf.h"
#include "simd/exp_of_any.h"
#include "simd/hyperbolic.h"
#include "simd/in_float64.h"
#include "simd/log_of_any.h"
#include "simd/sin_cos.h"
#include "simd/square_root.h"
#include "simd/tan.h"
#include "simd/whole.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::unary::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

#define PORTACL_LANES(name, expression)                        \
  struct name {                                                \
    template <class D, class V>                                \
    HWY_INLINE V operator()([[maybe_unused]] D d, V x) const { \
      return expression;                                       \
    }                                                          \
  }
PORTACL_LANES(AbsOfAny, hn::Abs(x));
PORTACL_LANES(NegOfAny, hn::Neg(x));
PORTACL_LANES(Ceil, simd::Up(x));
PORTACL_LANES(Floor, simd::Down(x));
PORTACL_LANES(Round, simd::ToEven(x));
PORTACL_LANES(Trunc, simd::ToZero(x));
PORTACL_LANES(Reciprocal, hn::Div(hn::Set(d, 1.0F), x));
PORTACL_LANES(ExpOfAny, simd::ExpOfAny(d, x));
PORTACL_LANES(Exp2OfAny, simd::Exp2OfAny(d, x));
PORTACL_LANES(Erf, simd::Erf(d, x));
PORTACL_LANES(Erfc, simd::Erfc(d, x));
PORTACL_LANES(Log, simd::LogOfAny(d, x));
PORTACL_LANES(Log1p, simd::Log1p(d, x));
PORTACL_LANES(Expm1, simd::Expm1(d, x));
PORTACL_LANES(Sin, simd::Sin(d, x));
PORTACL_LANES(Cos, simd::Cos(d, x));
PORTACL_LANES(Atan, simd::Atan(d, x));
PORTACL_LANES(Asin, simd::InverseSine<false>(d, x));
PORTACL_LANES(Acos, simd::InverseSine<true>(d, x));
PORTACL_LANES(Log2, simd::LogToBase(d, x, simd::kBaseTwo));
PORTACL_LANES(Log10, simd::LogToBase(d, x, simd::kBaseTen));
PORTACL_LANES(TanOfFloat, simd::Tan<false>(d, x));
PORTACL_LANES(SincOfFloat, simd::Sinc<false>(d, x));
#undef PORTACL_LANES

using Sqrt = simd::SquareRootLanes;

struct Exp : ExpOfAny {
  template <class D, class V>
  HWY_INLINE hn::Mask<D> AreOrdinary(D d, V x) const {
    return hn::Le(hn::Abs(x), hn::Set(d, 87.0F));
  }
  template <class D, class V>
  HWY_INLINE V Ordinary(D d, V x) const {
    return simd::Exp<false>(d, x);
  }
};
struct Exp2 : Exp2OfAny {
  template <class D, class V>
  HWY_INLINE hn::Mask<D> AreOrdinary(D d, V x) const {
    return hn::Le(hn::Abs(x), hn::Set(d, 126.0F));
  }
  template <class D, class V>
  HWY_INLINE V Ordinary(D d, V x) const {
    return simd::Exp2OfAny<true>(d, x);
  }
};

constexpr uint16_t kSignOfWord = 0x8000;
struct Abs : AbsOfAny {
  template <class V>
  HWY_INLINE V OfWords(V words) const {
    return hn::AndNot(hn::Set(hn::DFromV<V>(), kSignOfWord), words);
  }
};
struct Neg : NegOfAny {
  template <class V>
  HWY_INLINE V OfWords(V words) const {
    return hn::Xor(words, hn::Set(hn::DFromV<V>(), kSignOfWord));
  }
};

struct Sign {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0F);
    const V positive = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), one);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Neg(one), positive);
  }
};

// Highway's functions in float64, whose errors are far below the rounding error of FLOAT. They accept only finite
// numbers of the domain.
#define PORTACL_LANES_IN_FLOAT64(name, expression) \
  struct name {                                    \
    struct Function {                              \
      template <class D, class V>                  \
      HWY_INLINE V operator()(D d, V x) const {    \
        return expression;                         \
      }                                            \
    };                                             \
    template <class D, class V>                    \
    HWY_INLINE V operator()(D d, V x) const {      \
      return simd::InFloat64(d, Function(), x);    \
    }                                              \
  }

// `result` where x is finite, otherwise x.
template <class D, class V>
HWY_INLINE V OfFinite(D d, V x, V result) {
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Inf(d)), result, x);
}
PORTACL_LANES_IN_FLOAT64(Asinh, OfFinite(d, x, hn::Asinh(d, x)));
PORTACL_LANES_IN_FLOAT64(Acosh, hn::IfThenElse(hn::Ge(x, hn::Set(d, 1.0)), OfFinite(d, x, hn::Acosh(d, x)),
                                               hn::Set(d, std::numeric_limits<double>::quiet_NaN())));
PORTACL_LANES_IN_FLOAT64(Sinh, simd::SinhInFloat64()(d, x));
PORTACL_LANES_IN_FLOAT64(Cosh, simd::CoshInFloat64()(d, x));
PORTACL_LANES_IN_FLOAT64(Atanh, simd::AtanhInFloat64()(d, x));
PORTACL_LANES_IN_FLOAT64(RsqrtInFloat64, hn::Div(hn::Set(d, 1.0), hn::Sqrt(x)));
#undef PORTACL_LANES_IN_FLOAT64

#if HWY_NATIVE_FMA
// The quotient has an error of up to 1.5 ULP, which one Newton step corrects.
struct Rsqrt {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0F), r = hn::Div(one, hn::Sqrt(x)), root = hn::Mul(x, r);
    const V lost = hn::NegMulAdd(hn::MulSub(x, r, root), r, hn::NegMulAdd(root, r, one));
    const V better = hn::MulAdd(hn::Mul(r, hn::Set(d, 0.5F)), lost, r);
    return hn::IfThenElse(hn::Lt(hn::Abs(lost), one), better, r);  // not for 0, infinities and NaN
  }
};
#else
using Rsqrt = RsqrtInFloat64;
#endif

// For 16-bit dtypes, in float32, whose errors are too small to affect the result.
#define PORTACL_LANES_OF_NARROW(name, wide, narrow) \
  struct name : wide {                              \
    struct Narrow {                                 \
      template <class D, class V>                   \
      HWY_INLINE V operator()(D d, V x) const {     \
        return narrow;                              \
      }                                             \
    };                                              \
  }
PORTACL_LANES_OF_NARROW(Tan, TanOfFloat, simd::Tan<true>(d, x));
PORTACL_LANES_OF_NARROW(Sinc, SincOfFloat, simd::Sinc<true>(d, x));
#undef PORTACL_LANES_OF_NARROW

// x times a power of ten, rounded to an integer and scaled back, for FLOAT; every step is rounded as in PyTorch.
struct Decimals {
  explicit Decimals(const families::Scalars<float>& scalars)
      : power(static_cast<float>(std::pow(10.0, std::abs(static_cast<double>(scalars.values[0]))))) {}
  float power;
};
struct RoundUpToDecimals : Decimals {
  using Decimals::Decimals;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V scaled = hn::Mul(x, hn::Set(d, power));
    return hn::Div(hn::CopySign(hn::Round(scaled), scaled), hn::Set(d, power));
  }
};
struct RoundToTens : Decimals {
  using Decimals::Decimals;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V scaled = hn::Div(x, hn::Set(d, power));
    return hn::Mul(hn::CopySign(hn::Round(scaled), scaled), hn::Set(d, power));
  }
};

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  OWN(Abs) \
  OWN(Neg) \
  OWN(Sign) \
  OWN(Sqrt) \
  OWN(Rsqrt) \
  OWN(Ceil) \
  OWN(Floor) \
  OWN(Round) \
  WIDE(RoundUpToDecimals) \
  WIDE(RoundToTens) \
  OWN(Trunc) \
  OWN(Reciprocal) \
  OWN(Exp) \
  WIDE(Expm1) \
  OWN(Erf) \
  OWN(Erfc) \
  WIDE(Log) \
  WIDE(Log1p) \
  WIDE(Sin) \
  WIDE(Cos) \
  OWN(Tan) \
  OWN(Sinc) \
  OWN(Acos) \
  OWN(Asin) \
  OWN(Atan) \
  WIDE(Acosh) \
  WIDE(Asinh) \
  OWN(Atanh) \
  OWN(Sinh) \
  OWN(Cosh) \
  OWN(Exp2) \
  OWN(Log10) \
  OWN(Log2)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::unary::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::unary, Lanes, (Function function, aclDataType dtype, int64_t target), FindLanes,
                       function, dtype)
