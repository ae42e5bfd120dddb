// SPDX-License-Identifier: Apache-2.0
//
// Log alpha as it lies in memory: float32, a blank and a label in turns. Included once per target.

#if defined(PORTACL_CTC_LOSS_STATES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_CTC_LOSS_STATES_H_
#undef PORTACL_CTC_LOSS_STATES_H_
#else
#define PORTACL_CTC_LOSS_STATES_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/loss/ctc_loss/ctc_loss_pairs.h"
#include "simd/evaluate.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::ctc_loss::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

using FloatLanes = FloatsOf<Lanes>;
using FloatVector = hn::VFromD<FloatLanes>;

// ln(1 + x + rest) + n ln 2 for x in [-1/4, 1/2); `rest` is what x has no digits for, while the logarithm may.
struct LogOfState {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V rest, V n) const {
    // p of ln(1 + x) = x + x^2 p, minimax in relative error of the logarithm: 0.08 * 2^-24. Even and odd powers do not
    // wait for each other.
    const V x2 = hn::Mul(x, x);
    V even = hn::MulAdd(hn::Set(d, -0x1.71de08p-5f), x2, hn::Set(d, -0x1.0d9cf8p-3f));
    V odd = hn::MulAdd(hn::Set(d, 0x1.acf8bp-4f), x2, hn::Set(d, 0x1.288234p-3f));
    even = hn::MulAdd(even, x2, hn::Set(d, -0x1.54ed9ep-3f));
    odd = hn::MulAdd(odd, x2, hn::Set(d, 0x1.996982p-3f));
    even = hn::MulAdd(even, x2, hn::Set(d, -0x1.000048p-2f));
    odd = hn::MulAdd(odd, x2, hn::Set(d, 0x1.5555a4p-2f));
    // What is small is added first: p without its -1/2, the rest times the slope, and the second part of ln 2, whose
    // first part is so short that its product with n is exact even where it is not fused.
    const V more = hn::MulAdd(even, x2, hn::Mul(odd, x));
    const V slope = hn::MulAdd(hn::MulSub(more, hn::Set(d, 2.0f), hn::Set(d, 1.0f)), x, hn::Set(d, 1.0f));
    const V small = hn::MulAdd(rest, slope, hn::Mul(n, hn::Set(d, 0x1.0bfbe8p-15f)));
    const V below_x = hn::NegMulAdd(hn::Set(d, 0.5f), x2, hn::MulAdd(more, x2, small));
    return hn::MulAdd(n, hn::Set(d, 0x1.62ep-1f), hn::Add(x, below_x));
  }
};

/// ln of a blank's and a label's states in turns, times 2^exponent; of 0 -Inf. Largest error 1 ULP.
HWY_INLINE FloatVector LogarithmsOf(Vector blank, Vector label, int32_t exponent) {
  const FloatLanes df;
  const hn::RebindToUnsigned<Lanes> words;
  const hn::RebindToSigned<FloatLanes> integers;
  const auto of_blank = hn::BitCast(words, blank);
  const auto of_label = hn::BitCast(words, label);
  const auto high = hn::OddEven(hn::BitCast(integers, of_label), hn::BitCast(integers, hn::ShiftRight<32>(of_blank)));
  // m = 2^e f with f in [3/4, 3/2): of the mantissa's first 32 bits, taken for a signed number, the first tells whether
  // f is m's own half. f - 1 keeps its digits near 0; it is less than 2^-32 off, where float32 shows 2^-30 at most.
  const auto fraction = hn::OddEven(hn::BitCast(integers, hn::ShiftLeft<12>(of_label)),
                                    hn::BitCast(integers, hn::ShiftRight<20>(of_blank)));
  const FloatVector doubled = hn::ConvertTo(df, fraction);
  const FloatVector scale = hn::IfNegativeThenElse(doubled, hn::Set(df, 0x1p-33f), hn::Set(df, 0x1p-32f));
  const FloatVector x = hn::Mul(doubled, scale);
  const FloatVector rest = hn::Mul(hn::ConvertTo(df, hn::Sub(fraction, hn::ConvertTo(integers, doubled))), scale);
  const auto e = hn::ShiftRight<20>(hn::Add(high, hn::Set(integers, 1 << 19)));
  const FloatVector n = hn::ConvertTo(df, hn::Add(e, hn::Set(integers, exponent - 1023)));
  const FloatVector result = simd::Evaluate(df, LogOfState(), x, rest, n);
  const auto is_zero = hn::RebindMask(df, hn::Eq(high, hn::Zero(integers)));
  return hn::IfThenElse(is_zero, hn::Neg(hn::Inf(df)), result);
}

HWY_INLINE void StoreStates(FloatVector states, float* to, size_t i, size_t count) {
  const FloatLanes df;
  if (HWY_LIKELY(i + hn::Lanes(df) <= count)) {
    hn::StoreU(states, df, to + i);
  } else if (i < count) {
    simd::StoreTail(df, states, to + i, count - i);
  }
}

// Elements from `i` on of `count`; what is behind them is impossible.
PORTACL_LANE_INLINE FloatVector LoadStates(const float* from, size_t i, size_t count) {
  const FloatLanes df;
  if (HWY_LIKELY(i + hn::Lanes(df) <= count)) return hn::LoadU(df, from + i);
  return hn::IfThenElse(hn::FirstN(df, count - i), simd::LoadTail(df, from + i, count - i), hn::Neg(hn::Inf(df)));
}

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
