// SPDX-License-Identifier: Apache-2.0
//
// Log alpha as it is stored in memory: float32, with blanks and labels interleaved. Included once per target.

#if defined(PORTACL_CTC_LOSS_STATES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_CTC_LOSS_STATES_H_
#undef PORTACL_CTC_LOSS_STATES_H_
#else
#define PORTACL_CTC_LOSS_STATES_H_
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

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

// ln 2 in two parts, the first with few enough bits that its product with an integer is exact even without fused
// multiply-add.
constexpr float kShortLn2 = 0x1.62ep-1f;
constexpr float kLn2Rest = 0x1.0bfbe8p-15f;

// ln(1 + x + rest) + n ln 2 for x in [-1/4, 1/2); `rest` contains the bits that x cannot represent but that may matter
// for the logarithm.
struct LogOfState {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V rest, V n) const {
    // p of ln(1 + x) = x + x^2 p, minimax in relative error of the logarithm: 0.08 * 2^-24. Even and odd powers are
    // evaluated independently.
    const V x2 = hn::Mul(x, x);
    V even = hn::MulAdd(hn::Set(d, -0x1.71de08p-5f), x2, hn::Set(d, -0x1.0d9cf8p-3f));
    V odd = hn::MulAdd(hn::Set(d, 0x1.acf8bp-4f), x2, hn::Set(d, 0x1.288234p-3f));
    even = hn::MulAdd(even, x2, hn::Set(d, -0x1.54ed9ep-3f));
    odd = hn::MulAdd(odd, x2, hn::Set(d, 0x1.996982p-3f));
    even = hn::MulAdd(even, x2, hn::Set(d, -0x1.000048p-2f));
    odd = hn::MulAdd(odd, x2, hn::Set(d, 0x1.5555a4p-2f));
    // Small terms are added first: p without its -1/2, the rest times the slope, and the low part of ln 2.
    const V more = hn::MulAdd(even, x2, hn::Mul(odd, x));
    const V slope = hn::MulAdd(hn::MulSub(more, hn::Set(d, 2.0f), hn::Set(d, 1.0f)), x, hn::Set(d, 1.0f));
    const V small = hn::MulAdd(rest, slope, hn::Mul(n, hn::Set(d, kLn2Rest)));
    const V below_x = hn::NegMulAdd(hn::Set(d, 0.5f), x2, hn::MulAdd(more, x2, small));
    return hn::MulAdd(n, hn::Set(d, kShortLn2), hn::Add(x, below_x));
  }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Tables indexed by the first five bits of f in [1, 2), for two registers each. R is 1/f rounded to few bits; f = c +
// distance, c being the nearest multiple of 1/8.
struct LogTables {
  int reciprocal[32];  // 128 R
  float high[32];      // -ln R with few enough bits that its sum with n times the first part of ln 2 is exact
  float low[32];       // the remainder of -ln R
  float slope[32];     // R f - 1 = slope * (distance in units of 2^-35) + base
  float base[32];
};

constexpr LogTables MakeLogTables() {
  // Near 1 and near 2, R is 1 and 1/2, so that logarithms near 0 keep their precision.
  LogTables tables = {
      {128, 128, 119, 115, 112, 109, 106, 104, 101, 99, 96, 94, 92, 90, 88, 86,
       84,  83,  81,  80,  78,  77,  75,  74,  72,  71, 70, 69, 68, 67, 64, 64},
      {0,           0,           0x1.2bp-4f,  0x1.b7p-4f,  0x1.118p-3f, 0x1.49p-3f,  0x1.82p-3f,  0x1.a9p-3f,
       0x1.e5p-3f,  0x1.07p-2f,  0x1.268p-2f, 0x1.3c4p-2f, 0x1.524p-2f, 0x1.68cp-2f, 0x1.7fcp-2f, 0x1.974p-2f,
       0x1.af4p-2f, 0x1.bb8p-2f, 0x1.d48p-2f, 0x1.e14p-2f, 0x1.fb4p-2f, 0x1.044p-1f, 0x1.11ap-1f, 0x1.188p-1f,
       0x1.26ap-1f, 0x1.2dcp-1f, 0x1.35p-1f,  0x1.3c6p-1f, 0x1.43ep-1f, 0x1.4b6p-1f, 0x1.62ep-1f, 0x1.62ep-1f},
      {0,
       0,
       -0x1.7ed6eep-14f,
       -0x1.4ddc94p-14f,
       -0x1.c5f76p-17f,
       0x1.3d8334p-15f,
       0x1.e0b2a8p-14f,
       0x1.f69e46p-14f,
       0x1.877ff4p-14f,
       0x1.38604ep-14f,
       0x1.621134p-14f,
       -0x1.ad88ccp-14f,
       -0x1.51f8c8p-14f,
       -0x1.37c164p-14f,
       -0x1.05c428p-14f,
       -0x1.72f3b2p-16f,
       0x1.295248p-14f,
       0x1.611b8p-14f,
       0x1.0246dep-14f,
       0x1.14344ep-15f,
       -0x1.4ea10cp-15f,
       -0x1.3e8314p-14f,
       0x1.f0478ep-14f,
       0x1.dc81e4p-14f,
       -0x1.3bdd96p-14f,
       -0x1.5509e4p-18f,
       0x1.456cecp-16f,
       0x1.0186d8p-18f,
       -0x1.80341cp-15f,
       0x1.fadf2ep-14f,
       0x1.0bfbe8p-15f,
       0x1.0bfbe8p-15f},
      {},
      {}};
  for (int bits = 0; bits < 32; ++bits) {
    const int c = 8 + ((bits >> 1) + 1) / 2;
    tables.slope[bits] = static_cast<float>(tables.reciprocal[bits]) * 0x1p-42f;
    tables.base[bits] = static_cast<float>(c * tables.reciprocal[bits] - 1024) / 1024;
  }
  return tables;
}

HWY_INLINE FloatVector ElementsOf(const float* table, __m512i places) {
  return {_mm512_permutex2var_ps(_mm512_loadu_ps(table), places, _mm512_loadu_ps(table + 16))};
}

/// Logarithms of blanks and labels interleaved, times 2^exponent; 0 becomes -Inf. Largest error 0.8 ULP, 1 ULP beyond
/// 4096. With 28 operations instead of 39, losses take 15 to 20 % less time.
HWY_INLINE FloatVector LogarithmsOf(Vector blank, Vector label, int32_t exponent) {
  static constexpr LogTables kTables = MakeLogTables();
  const FloatLanes df;
  const hn::RebindToUnsigned<Lanes> words;
  const hn::RebindToSigned<FloatLanes> integers;
  const auto of_blank = hn::BitCast(words, blank);
  const auto of_label = hn::BitCast(words, label);
  constexpr __mmask16 kBlanks = 0x5555;
  const hn::VFromD<decltype(integers)> high = {
      _mm512_mask_shuffle_epi32(of_label.raw, kBlanks, of_blank.raw, _MM_PERM_DDBB)};
  // m = 2^n f. The mantissa's bits from the fourth on, interpreted as a signed integer, are the distance.
  const auto distance = hn::OddEven(hn::BitCast(integers, hn::ShiftLeft<15>(of_label)),
                                    hn::BitCast(integers, hn::ShiftRight<17>(of_blank)));
  const FloatVector rounded = hn::ConvertTo(df, distance);
  // If it is rounded up to 2^31, its bits are those of -2^31, and the difference is still correct.
  const FloatVector rest = hn::ConvertTo(df, hn::Sub(distance, {_mm512_cvttps_epi32(rounded.raw)}));
  const __m512i place = hn::ShiftRight<15>(high).raw;  // only its last five bits are used
  const FloatVector n = hn::ConvertTo(df, hn::Add(hn::ShiftRight<20>(high), hn::Set(integers, exponent - 1023)));
  const FloatVector slope = ElementsOf(kTables.slope, place);
  const FloatVector r = hn::MulAdd(rounded, slope, ElementsOf(kTables.base, place));
  // p of ln(1 + r) = r + r^2 p, minimax in relative error for r in [-1/32, 1/16]: 0.06 * 2^-24.
  FloatVector p = hn::MulAdd(hn::Set(df, 0x1.826722p-3f), r, hn::Set(df, -0x1.0012f8p-2f));
  p = hn::MulAdd(p, r, hn::Set(df, 0x1.555836p-2f));
  p = hn::MulAdd(p, r, hn::Set(df, -0.5f));
  FloatVector small = hn::MulAdd(n, hn::Set(df, kLn2Rest), ElementsOf(kTables.low, place));
  small = hn::MulAdd(p, hn::Mul(r, r), hn::MulAdd(rest, slope, small));
  const FloatVector large = hn::MulAdd(n, hn::Set(df, kShortLn2), ElementsOf(kTables.high, place));
  const __mmask16 is_something = _mm512_test_epi32_mask(high.raw, high.raw);
  return {_mm512_mask_add_ps(hn::Set(df, -std::numeric_limits<float>::infinity()).raw, is_something, large.raw,
                             hn::Add(r, small).raw)};
}

#else

/// Logarithms of blanks and labels interleaved, times 2^exponent; 0 becomes -Inf. Largest error 1 ULP.
HWY_INLINE FloatVector LogarithmsOf(Vector blank, Vector label, int32_t exponent) {
  const FloatLanes df;
  const hn::RebindToUnsigned<Lanes> words;
  const hn::RebindToSigned<FloatLanes> integers;
  const auto of_blank = hn::BitCast(words, blank);
  const auto of_label = hn::BitCast(words, label);
  const auto high = hn::OddEven(hn::BitCast(integers, of_label), hn::BitCast(integers, hn::ShiftRight<32>(of_blank)));
  // m = 2^e f with f in [3/4, 3/2): with the mantissa's first 32 bits as a signed integer, the sign bit tells whether f
  // is half of m's significand. f - 1 keeps its precision near 0: its error is below 2^-32, and the smallest that
  // float32 shows is 2^-30.
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

#endif

HWY_INLINE void StoreStates(FloatVector states, float* to, size_t i, size_t count) {
  const FloatLanes df;
  if (HWY_LIKELY(i + hn::Lanes(df) <= count)) {
    hn::StoreU(states, df, to + i);
  } else if (i < count) {
    simd::StoreTail(df, states, to + i, count - i);
  }
}

// Elements from `i` on of `count`; lanes beyond the end are impossible states.
PORTACL_LANE_INLINE FloatVector LoadStates(const float* from, size_t i, size_t count) {
  const FloatLanes df;
  if (HWY_LIKELY(i + hn::Lanes(df) <= count)) return hn::LoadU(df, from + i);
  return hn::IfThenElse(hn::FirstN(df, count - i), simd::LoadTail(df, from + i, count - i), hn::Neg(hn::Inf(df)));
}

}  // namespace portacl::ops::ctc_loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
