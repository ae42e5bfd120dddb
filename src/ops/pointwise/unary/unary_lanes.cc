// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/unary/unary_lanes.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/unary/unary_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "hwy/contrib/math/math-inl.h"
#include "simd/exp_of_any.h"
#include "simd/in_float64.h"
#include "simd/log_of_any.h"
#include "simd/sin_cos.h"

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
PORTACL_LANES(Abs, hn::Abs(x));
PORTACL_LANES(Neg, hn::Neg(x));
PORTACL_LANES(Sqrt, hn::Sqrt(x));
PORTACL_LANES(Ceil, hn::CopySign(hn::Ceil(x), x));  // EMU128 changes the sign of zeros
PORTACL_LANES(Floor, hn::CopySign(hn::Floor(x), x));
PORTACL_LANES(Round, hn::CopySign(hn::Round(x), x));
PORTACL_LANES(Trunc, hn::CopySign(hn::Trunc(x), x));
PORTACL_LANES(Reciprocal, hn::Div(hn::Set(d, 1.0F), x));
PORTACL_LANES(Exp, simd::ExpOfAny(d, x));
PORTACL_LANES(Exp2, simd::Exp2OfAny(d, x));
PORTACL_LANES(Log, simd::LogOfAny(d, x));
PORTACL_LANES(Log1p, simd::Log1p(d, x));
PORTACL_LANES(Expm1, simd::Expm1(d, x));
PORTACL_LANES(Sin, simd::Sin(d, x));
PORTACL_LANES(Cos, simd::Cos(d, x));
#undef PORTACL_LANES

struct Sign {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0F);
    const V positive = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), one);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Neg(one), positive);
  }
};

// Functions of Highway's in float64, where their errors are far below a rounding of FLOAT. They take finite numbers of
// the domain alone.
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

// `result` where x is finite, else x.
template <class D, class V>
HWY_INLINE V OfFinite(D d, V x, V result) {
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Inf(d)), result, x);
}
// `result` where |x| is at most 1, else NaN.
template <class D, class V>
HWY_INLINE V WithinOne(D d, V x, V result) {
  return hn::IfThenElse(hn::Le(hn::Abs(x), hn::Set(d, 1.0)), result,
                        hn::Set(d, std::numeric_limits<double>::quiet_NaN()));
}
// x, but not beyond what has an exponential that FLOAT cannot hold; 0 for NaN.
template <class D, class V>
HWY_INLINE V Bounded(D d, V x) {
  const V most = hn::CopySign(hn::Set(d, 200.0), x);
  const V number = hn::IfThenElseZero(hn::Eq(x, x), x);
  return hn::IfThenElse(hn::Gt(hn::Abs(x), hn::Abs(most)), most, number);
}
// `result`, but NaN where x is.
template <class V>
HWY_INLINE V OfNumber(V x, V result) {
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

PORTACL_LANES_IN_FLOAT64(Atan, hn::Atan(d, x));
PORTACL_LANES_IN_FLOAT64(Asin, WithinOne(d, x, hn::Asin(d, x)));
PORTACL_LANES_IN_FLOAT64(Acos, WithinOne(d, x, hn::Acos(d, x)));
PORTACL_LANES_IN_FLOAT64(Asinh, OfFinite(d, x, hn::Asinh(d, x)));
PORTACL_LANES_IN_FLOAT64(Acosh, hn::IfThenElse(hn::Ge(x, hn::Set(d, 1.0)), OfFinite(d, x, hn::Acosh(d, x)),
                                               hn::Set(d, std::numeric_limits<double>::quiet_NaN())));
PORTACL_LANES_IN_FLOAT64(Atanh, WithinOne(d, x,
                                          hn::IfThenElse(hn::Eq(hn::Abs(x), hn::Set(d, 1.0)),
                                                         hn::CopySign(hn::Inf(d), x), hn::Atanh(d, x))));
PORTACL_LANES_IN_FLOAT64(Sinh, OfNumber(x, hn::Sinh(d, Bounded(d, x))));
PORTACL_LANES_IN_FLOAT64(Log10, simd::LogOrSpecial(d, x, hn::Log10(d, x)));
PORTACL_LANES_IN_FLOAT64(Log2, simd::LogOrSpecial(d, x, hn::Log2(d, x)));
#undef PORTACL_LANES_IN_FLOAT64

struct Cosh {
  struct Function {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V x) const {
      const V e = hn::Exp(d, Bounded(d, hn::Abs(x)));
      return OfNumber(x, hn::Mul(hn::Set(d, 0.5), hn::Add(e, hn::Div(hn::Set(d, 1.0), e))));
    }
  };
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::InFloat64(d, Function(), x);
  }
};

PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_UNARY_LANES, 1, 0)

}  // namespace portacl::ops::unary::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::ops::unary {

loops::LaneFunction Lanes(Function function, aclDataType dtype, int64_t target) {
  return PORTACL_FOR_TARGET(FindLanes, target)(function, dtype);
}

}  // namespace portacl::ops::unary
#endif  // HWY_ONCE
