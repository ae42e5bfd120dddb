// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/activation_backward/activation_backward_lanes.h"

#include <cmath>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/activation_backward/activation_backward_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/dispatch.h"
#include "simd/exp.h"
#include "simd/exp_of_any.h"
#include "simd/gelu.h"
#include "simd/in_float64.h"
#include "simd/logistic.h"
#include "simd/round_to_odd.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::activation_backward::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using FirstScalar = families::Scalars<float>;

struct GeluBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::Mul(g, simd::GeluOfTanhSlope(d, x));
  }
};

struct GeluBackwardOfErf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::Mul(g, simd::GeluSlope(d, x));
  }
};

struct SiluBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::Mul(g, simd::SiluSlope(d, x));
  }
};

struct SigmoidBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V y) const {
    return hn::Mul(g, hn::Mul(hn::Sub(hn::Set(d, 1.0F), y), y));
  }
};

struct TanhBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V y) const {
    const V one = hn::Set(d, 1.0F);
    return hn::Mul(g, hn::Mul(hn::Sub(one, y), hn::Add(one, y)));
  }
};

struct LeakyReluToOdd {
  explicit LeakyReluToOdd(const FirstScalar& scalars) : slope(scalars.values[0]) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, simd::ProductToOdd(d, g, hn::Set(d, slope)));
  }
  float slope;
};

struct LeakyReluBackward {
  using ForLongScalars = LeakyReluToOdd;
  explicit LeakyReluBackward(const FirstScalar& scalars) : slope(scalars.values[0]) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, hn::Set(d, slope)));
  }
  float slope;
};

struct ThresholdBackward {
  explicit ThresholdBackward(const FirstScalar& scalars) : threshold(scalars.values[0]) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::IfThenElseZero(hn::Gt(x, hn::Set(d, threshold)), g);
  }
  float threshold;
};

// g / 6, rounded to nearest. A product with 1/6 and its exact remainder take half of the time of a division; for an
// infinite quotient the remainder is that of the largest finite number.
template <class D, class V>
HWY_INLINE V Sixth(D d, V g) {
#if HWY_TARGET == HWY_AVX3
  const V sixth = hn::Set(d, 0x1.555556p-3F), most = hn::Set(d, 0x1.fffffep127F);
  const V quotient = hn::Mul(g, sixth);
  const V bounded = hn::Max(hn::Min(quotient, most), hn::Neg(most));
  return hn::MulAdd(hn::NegMulAdd(bounded, hn::Set(d, 6.0F), g), sixth, quotient);
#else
  return hn::Div(g, hn::Set(d, 6.0F));
#endif
}

struct HardsigmoidBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    return hn::IfThenElseZero(hn::Lt(hn::Abs(x), hn::Set(d, 3.0F)), Sixth(d, g));
  }
};

struct HardswishBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V slope = hn::Div(hn::Add(x, hn::Set(d, 1.5F)), hn::Set(d, 3.0F));
    const V inside = hn::IfThenElse(hn::Le(x, hn::Set(d, 3.0F)), hn::Mul(g, slope), g);
    return hn::IfThenElse(hn::Lt(x, hn::Set(d, -3.0F)), hn::Zero(d), inside);
  }
};

// The corners belong to the linear parts.
struct HardswishBackwardV2 : HardswishBackward {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    const V inside = HardswishBackward::operator()(d, g, x);
    const V above = hn::IfThenElse(hn::Eq(x, hn::Set(d, 3.0F)), g, inside);
    return hn::IfThenElse(hn::Eq(x, hn::Set(d, -3.0F)), hn::Zero(d), above);
  }
};

// e^x in float64 lanes for any x; beyond +-700, neither it nor its products are representable in FLOAT.
template <class D, class V>
HWY_INLINE V ExpInFloat64(D d, V x) {
  const V bounded = hn::IfThenElse(hn::Gt(hn::Abs(x), hn::Set(d, 700.0)), hn::CopySign(hn::Set(d, 700.0), x), x);
  return simd::Exp<true>(d, bounded);
}

// e^x or its root for x <= 0, but never 0, which would give NaN with infinite factors.
template <class D, class V>
HWY_INLINE V ExpOfNegative(D d, V x) {
  return simd::ExpOfAny(d, simd::AtLeast(d, x, -103.0F));
}
// g e^x, given the root of e^x, which is hardly ever subnormal if the 16-bit product is not.
template <class V>
HWY_INLINE V TimesSquare(V g, V root) {
  return hn::Mul(hn::Mul(g, root), root);
}

// In float64 where the errors of factors would accumulate; errors of FLOAT are measured in ULP of g.
template <bool kNarrow>
struct EluOf {
  explicit EluOf(const FirstScalar& scalars)
      : scale(static_cast<double>(scalars.values[1])),
        alpha(static_cast<double>(scalars.values[0]) * scale),
        input_scale(static_cast<double>(scalars.values[2])),
        slope(static_cast<float>(input_scale * alpha)),
        in_float(kNarrow ? input_scale > 0 && std::abs(slope) > 0x1p-40F && std::abs(slope) < 0x1p40F
                         : input_scale * alpha == 1 && input_scale == 1) {}
  struct Function {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V g, V x) const {
      const V e = ExpInFloat64(d, hn::Mul(x, hn::Set(d, elu.input_scale)));
      const V below = hn::Mul(hn::Set(d, elu.input_scale * elu.alpha), e);
      return hn::Mul(g, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Set(d, elu.scale), below));
    }
    const EluOf& elu;
  };
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    if (!in_float) return simd::InFloat64(d, Function{*this}, g, x);
    const auto is_above = hn::Gt(x, hn::Zero(d));
    const V above_slope = hn::Set(d, static_cast<float>(scale));
    if constexpr (kNarrow) {
      const V half = hn::Mul(x, hn::Set(d, static_cast<float>(0.5 * input_scale)));
      const V power = TimesSquare(g, ExpOfNegative(d, half));
      const V steepest = hn::IfThenElse(is_above, g, power);
      if (slope == 1 && scale == 1) return steepest;  // the product would be exact
      return simd::ProductToOdd(d, steepest, hn::IfThenElse(is_above, above_slope, hn::Set(d, slope)));
    } else {
      return hn::IfThenElse(is_above, hn::Mul(g, above_slope), hn::Mul(g, ExpOfNegative(d, x)));
    }
  }
  double scale, alpha, input_scale;
  float slope;
  bool in_float;
};
struct EluBackward : EluOf<false> {
  using EluOf<false>::EluOf;
  using Narrow = EluOf<true>;
};

template <bool kNarrow>
struct SoftplusOf {
  explicit SoftplusOf(const FirstScalar& scalars)
      : beta(static_cast<double>(scalars.values[0])), threshold(static_cast<double>(scalars.values[1])) {}
  struct Function {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V g, V x) const {
      const V scaled = hn::Mul(x, hn::Set(d, softplus.beta));
      const V one = hn::Set(d, 1.0);
      const V quotient = hn::Div(g, hn::Add(one, ExpInFloat64(d, hn::Neg(scaled))));
      return hn::IfThenElse(hn::Gt(scaled, hn::Set(d, softplus.threshold)), g, quotient);
    }
    const SoftplusOf& softplus;
  };
  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x) const {
    if (beta != 1) return simd::InFloat64(d, Function{*this}, g, x);
    // g / (1 + e^-|x|), multiplied by e^-|x| for negative x.
    const V size = simd::NegativeOf(d, x);
    const V power = ExpOfNegative(d, kNarrow ? hn::Mul(size, hn::Set(d, 0.5F)) : size);
    const V above = hn::Div(g, hn::Add(hn::Set(d, 1.0F), kNarrow ? hn::Mul(power, power) : power));
    const V below = kNarrow ? TimesSquare(above, power) : hn::Mul(above, power);
    const V quotient = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), below, above);
    return hn::IfThenElse(hn::Gt(x, hn::Set(d, static_cast<float>(threshold))), g, quotient);
  }
  double beta, threshold;
};
struct SoftplusBackward : SoftplusOf<false> {
  using SoftplusOf<false>::SoftplusOf;
  using Narrow = SoftplusOf<true>;
};

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  OWN(GeluBackward) \
  OWN(GeluBackwardOfErf) \
  OWN(SiluBackward) \
  OWN(SigmoidBackward) \
  OWN(TanhBackward) \
  OWN(LeakyReluBackward) \
  OWN(ThresholdBackward) \
  OWN(HardsigmoidBackward) \
  OWN(HardswishBackward) \
  OWN(HardswishBackwardV2) \
  OWN(EluBackward) \
  OWN(SoftplusBackward)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::activation_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::activation_backward, Lanes, (Function function, aclDataType dtype, int64_t target),
                       FindLanes, function, dtype)
