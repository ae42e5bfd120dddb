// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/activation/activation_lanes.h"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/activation/activation_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "families/run_lanes.h"
#include "simd/dispatch.h"
#include "simd/exp_of_any.h"
#include "simd/gelu.h"
#include "simd/in_float64.h"
#include "simd/logistic.h"
#include "simd/round_to_odd.h"
#include "simd/softplus.h"
#include "simd/tanh.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::activation::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using Scalars = families::Scalars<float>;

struct Relu {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);  // also for -0 and NaN; a compiler may turn ?: into max
  }
};

struct LeakyReluToOdd {
  explicit LeakyReluToOdd(const Scalars& scalars) : slope(scalars.values[0]) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, simd::ProductToOdd(d, x, hn::Set(d, slope)));
  }
  float slope;
};

struct LeakyRelu {
  using ForLongScalars = LeakyReluToOdd;
  explicit LeakyRelu(const Scalars& scalars) : slope(scalars.values[0]) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, hn::Set(d, slope)));
  }
  float slope;
};

// x / 6, rounded once like a division if there is fused multiply-add. Keeps the sign of zero: both parts of 1/6 are
// positive.
template <class D, class V>
HWY_INLINE V Sixth(D d, V x) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(x, hn::Set(d, 0x1.555554p-3F), hn::Mul(x, hn::Set(d, 0x1.555556p-27F)));
#else
  return hn::Div(x, hn::Set(d, 6.0F));
#endif
}

struct Hardsigmoid {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V y = Sixth(d, hn::Add(x, hn::Set(d, 3.0F)));
    return simd::AtMost(d, simd::AtLeast(d, y, 0.0F), 1.0F);
  }
};

struct Hardswish {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V y = Sixth(d, hn::Mul(x, hn::Add(x, hn::Set(d, 3.0F))));
    const V low = hn::IfThenElse(hn::Le(x, hn::Set(d, -3.0F)), hn::Zero(d), y);
    return hn::IfThenElse(hn::Ge(x, hn::Set(d, 3.0F)), x, low);
  }
};

struct Sigmoid {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::SigmoidOfAny(d, x);
  }
};

struct Silu {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::Silu(d, x);
  }
};

struct Tanh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::Tanh(d, x);
  }
};

// For inputScale = 1: otherwise the rounding error of another product would be magnified by the exponential.
struct EluToOdd {
  explicit EluToOdd(const Scalars& scalars)
      : scale(scalars.values[1]), negative{{static_cast<double>(scalars.values[0]) * static_cast<double>(scale)}} {}
  struct Negative {
    // Given e^x - 1 in float32, which for a small x is x itself.
    template <class D, class V>
    HWY_INLINE V operator()(D d, V x, V power) const {
      const V series = hn::MulAdd(hn::MulAdd(x, hn::Set(d, 1.0 / 6), hn::Set(d, 0.5)), hn::Mul(x, x), x);
      const auto is_small = hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-9));
      return hn::Mul(hn::IfThenElse(is_small, series, power), hn::Set(d, alpha));
    }
    double alpha = 1;
  };
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V below = simd::InFloat64(d, negative, x, simd::Expm1(d, x));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), simd::ProductToOdd(d, x, hn::Set(d, scale)), below);
  }
  float scale;
  simd::RoundedToOdd<Negative> negative;
};

struct Elu {
  using ForLongScalars = EluToOdd;
  explicit Elu(const Scalars& scalars) : scale(scalars.values[1]), alpha(scalars.values[0] * scale) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V negative = hn::Mul(hn::Set(d, alpha), simd::Expm1(d, x));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Mul(hn::Set(d, scale), x), negative);
  }
  float scale, alpha;
};

// For beta = 1.
struct Softplus {
  explicit Softplus(const Scalars& scalars) : threshold(scalars.values[1]) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Gt(x, hn::Set(d, threshold)), x, simd::Softplus(d, x));
  }
  float threshold;
};

struct Gelu {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::GeluOfTanh(d, x);
  }
};

struct NarrowGeluOfErf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::NarrowGelu(d, x);
  }
};

struct GeluOfErf {
  using Narrow = NarrowGeluOfErf;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return simd::Gelu(d, x);
  }
};

// OWN: for FLOAT, FLOAT16 and BFLOAT16. WIDE: for FLOAT.
// clang-format off
#define PORTACL_LANES_OF(WIDE, OWN) \
  OWN(Relu) \
  OWN(LeakyRelu) \
  WIDE(Elu) \
  OWN(Hardsigmoid) \
  OWN(Hardswish) \
  OWN(Sigmoid) \
  OWN(Silu) \
  OWN(Tanh) \
  WIDE(Softplus) \
  OWN(Gelu) \
  OWN(GeluOfErf)
// clang-format on
PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)
#undef PORTACL_LANES_OF

}  // namespace portacl::ops::activation::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::activation, Lanes, (Function function, aclDataType dtype, int64_t target),
                       FindLanes, function, dtype)
