// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/swi_glu/swi_glu_lanes.h"

#include <bit>
#include <cstdint>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/swi_glu/swi_glu_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/exp.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::swi_glu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// The largest float below ln 2^126. e^-|A| beyond it would be a subnormal.
constexpr float kMost = 0x1.5d589ep6f;

// Products of three factors can leave the range of float32 on the way although the result lies in it. A FLOAT16 is
// never that large or small.
template <class T>
constexpr bool kCanLeaveRange = !std::is_same_v<T, hwy::float16_t>;

// How registers are computed. Each way gives an element the same bits.
enum class Way {
  kOrdinary,   // no |A| beyond kMost; any FLOAT16
  kUnderflow,  // sigmoid may underflow; no factor beyond kModerate
  kAny,        // any factors
};
constexpr float kModerate = 0x1p31f;

// v q w for |q| <= 1, no subnormal. Where |v| >= 1, v q is none either; elsewhere q meets w first, and what is lost
// when w q is a subnormal is made smaller still by v. Nothing overflows but the result.
template <class T, class D, class V>
HWY_INLINE V Damped(D d, V v, V magnitude_of_v, V q, V w) {
  if constexpr (!kCanLeaveRange<T>) return hn::Mul(hn::Mul(v, q), w);
  const auto small = hn::Lt(magnitude_of_v, hn::Set(d, 1.0f));
  return hn::Mul(hn::Mul(hn::IfThenElse(small, w, v), q), hn::IfThenElse(small, v, w));
}

// Where sigmoid(A) is less than a normal float32.
template <class D, class V>
HWY_INLINE auto Underflows(D d, V a) {
  return hn::Lt(a, hn::Set(d, -kMost));
}

// sigma = 1 / (1 + e), a normal number, and e = e^-A 2^-rest. Rest is 0 where sigmoid does not underflow, and is not
// set for kOrdinary. For kUnderflow A is limited to where results are 0.
template <class T, Way kWay, class D, class V>
HWY_INLINE V SigmoidAndExp(D d, V& a, V& e, V& rest) {
  constexpr bool kNarrow = sizeof(T) == 2;
  const V one = hn::Set(d, 1.0f);
  const V most = hn::Set(d, kMost);
  if constexpr (!kCanLeaveRange<T>) {
    // Products with e^-50 are 0 as FLOAT16 already, but for infinite factors.
    e = hn::IfThenElseZero(hn::Le(a, most), simd::ExpOfNegative<kNarrow>(d, hn::Max(a, hn::Set(d, -50.0f))));
    return hn::Div(one, hn::Add(one, e));
  }
  if constexpr (kWay == Way::kOrdinary) {
    e = simd::ExpOfNegative<kNarrow>(d, a);
    return hn::Div(one, hn::Add(one, e));
  }
  // From there on no product of the factors reaches a normal float32.
  const V limited = hn::Max(a, hn::Set(d, kWay == Way::kUnderflow ? -140.0f : -300.0f));
  if constexpr (kWay == Way::kUnderflow) a = limited;
  const V shifted = simd::ShiftedExponentOfNegative(d, limited);
  const V r = simd::NegativeWithoutPowersOfTwo(d, limited, hn::Sub(shifted, hn::Set(d, simd::kExpShift)));
  // Sigma stays so far from the least normal number that its products with small factors are no subnormals.
  rest = hn::IfThenElseZero(Underflows(d, a), hn::Sub(shifted, hn::Set(d, simd::kExpShift + 96)));
  // Beyond kMost e^-A would be a subnormal.
  e = hn::IfThenElseZero(hn::Le(a, most), simd::ExpOfParts<kNarrow>(d, r, hn::Sub(shifted, rest)));
  return hn::Div(one, hn::Add(one, e));
}

// Sigma, and 0 where e^-A leaves the range of float64.
template <class T, Way kWay, class D, class V>
HWY_INLINE V AsInFloat64(D d, V a, V sigma) {
  if constexpr (kCanLeaveRange<T> && kWay != Way::kAny) return sigma;  // A is above that
  return hn::IfThenElseZero(hn::Gt(a, hn::Set(d, -0x1.62e43p9f)), sigma);
}

// 2^k for -127 <= k <= 127, 0 for k = -127.
template <class D, class V>
HWY_INLINE V PowerOfTwo(D d, V k) {
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, hn::Add(hn::Set(d, simd::kExpShift), k))));
}

// v 2^-rest for |v| < 2^126 and -34 <= rest < 379. Where sigmoid underflows, a result below the smallest normal number
// is 0: v is multiplied by zero, as processors take their time over products that are subnormals.
template <Way kWay, class D, class V>
HWY_INLINE V Scaled(D d, V v, V a, V rest) {
  const V most = hn::Set(d, 126.0f);
  const auto lost = [&](V least) HWY_ATTR { return hn::And(Underflows(d, a), hn::Lt(hn::Abs(v), least)); };
  if constexpr (kWay == Way::kUnderflow) {
    const hn::RebindToUnsigned<D> du;
    const V least = PowerOfTwo(d, hn::Sub(rest, most));
    // 2^-rest: the exponents of both, 127 more, are 128 together.
    const V power = hn::BitCast(d, hn::Sub(hn::Set(du, 128u << 23), hn::BitCast(du, least)));
    return hn::Mul(v, hn::IfThenZeroElse(lost(least), power));
  }
  const V none = hn::Set(d, -127.0f);
  const V least = PowerOfTwo(d, hn::Min(hn::Max(hn::Sub(rest, most), none), most));
  const V first = hn::Min(rest, most);
  const V second = hn::Min(hn::Sub(rest, first), most);
  const V power = hn::IfThenZeroElse(lost(least), PowerOfTwo(d, hn::Neg(second)));
  return hn::Mul(hn::Mul(v, power), PowerOfTwo(d, hn::Neg(first)));
}

template <class T, Way kWay, class D, class V>
HWY_INLINE V SwishOf(D d, V a, V b) {
  V e = hn::Undefined(d);
  V rest = hn::Undefined(d);
  const V sigma = SigmoidAndExp<T, kWay>(d, a, e, rest);
  const V out = Damped<T>(d, a, hn::Abs(a), AsInFloat64<T, kWay>(d, a, sigma), b);
  if constexpr (kWay != Way::kOrdinary) return Scaled<kWay>(d, out, a, rest);
  return out;
}

template <class T, Way kWay, class D, class V>
HWY_INLINE void SwishGradOf(D d, V a, V b, V grad, V& out_a, V& out_b) {
  V e = hn::Undefined(d);
  V rest = hn::Undefined(d);
  const V sigma = SigmoidAndExp<T, kWay>(d, a, e, rest);
  // 1 + A (1 - sigma) is (1 + A) (1 - sigma) + sigma, and 1 - sigma is e sigma: where the sum passes through zero,
  // near A = -1.28, 1 + A is exact.
  const V sum = hn::MulAdd(hn::Add(hn::Set(d, 1.0f), a), hn::Mul(e, sigma), sigma);
  const V q = AsInFloat64<T, kWay>(d, a, sigma);
  const V slope = hn::Mul(q, sum);  // at most 1.1
  out_b = Damped<T>(d, a, hn::Abs(a), q, grad);
  if constexpr (!kCanLeaveRange<T>) {
    out_a = hn::Mul(hn::Mul(grad, b), slope);
    return;
  }
  if constexpr (kWay != Way::kOrdinary) out_b = Scaled<kWay>(d, out_b, a, rest);
  V factor = grad;
  if constexpr (kWay == Way::kAny) {
    // The product of both must not overflow before it is scaled.
    const V smaller = hn::Min(hn::Abs(grad), hn::Abs(b));
    const auto huge = hn::And(Underflows(d, a), hn::Ge(smaller, hn::Set(d, 0x1p64f)));
    factor = hn::IfThenElse(huge, hn::Mul(grad, hn::Set(d, 0x1p-64f)), grad);
    rest = hn::Sub(rest, hn::IfThenElseZero(huge, hn::Set(d, 64.0f)));
  }
  // Halved, the slope is below 1; doubling what comes out loses nothing.
  const V half = Damped<T>(d, factor, hn::Abs(factor), hn::Mul(slope, hn::Set(d, 0.5f)), b);
  out_a = hn::Add(half, half);
  if constexpr (kWay != Way::kOrdinary) out_a = Scaled<kWay>(d, out_a, a, rest);
}

// EMU128 is kept small, see simd/map.h.
#if HWY_TARGET == HWY_EMU128
#define PORTACL_SWISH_INLINE HWY_NOINLINE
#else
#define PORTACL_SWISH_INLINE HWY_INLINE
#endif

// One register of stored elements of each operand.
template <class T, Way kWay, class V>
PORTACL_SWISH_INLINE V OfRegister(V a, V b) {
  if constexpr (std::is_floating_point_v<T>) {
    return SwishOf<T, kWay>(hn::ScalableTag<T>(), a, b);
  } else {
    const simd::FloatLanes d;
    return simd::NarrowResults<T>(SwishOf<T, kWay>(d, simd::WidenFirst<T>(a), simd::WidenFirst<T>(b)),
                                  SwishOf<T, kWay>(d, simd::WidenSecond<T>(a), simd::WidenSecond<T>(b)));
  }
}

template <class T, Way kWay, class V>
PORTACL_SWISH_INLINE void GradOfRegister(V a, V b, V grad, V& out_a, V& out_b) {
  if constexpr (std::is_floating_point_v<T>) {
    SwishGradOf<T, kWay>(hn::ScalableTag<T>(), a, b, grad, out_a, out_b);
  } else {
    const simd::FloatLanes d;
    simd::FloatVector first_a = hn::Undefined(d);
    simd::FloatVector first_b = hn::Undefined(d);
    simd::FloatVector second_a = hn::Undefined(d);
    simd::FloatVector second_b = hn::Undefined(d);
    SwishGradOf<T, kWay>(d, simd::WidenFirst<T>(a), simd::WidenFirst<T>(b), simd::WidenFirst<T>(grad), first_a,
                         first_b);
    SwishGradOf<T, kWay>(d, simd::WidenSecond<T>(a), simd::WidenSecond<T>(b), simd::WidenSecond<T>(grad), second_a,
                         second_b);
    out_a = simd::NarrowResults<T>(first_a, second_a);
    out_b = simd::NarrowResults<T>(first_b, second_b);
  }
}

#undef PORTACL_SWISH_INLINE

// The bits of stored elements. Magnitudes are ordered as theirs.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 2, int16_t, int32_t>;

// The larger of `most` and the magnitudes of a register of stored elements.
template <class T, class M, class V>
HWY_INLINE M LargestMagnitudes(M most, V v) {
  const hn::ScalableTag<Bits<T>> d;
  return hn::Max(most, hn::And(hn::BitCast(d, v), hn::Set(d, hwy::LimitsMax<Bits<T>>())));
}

// Whether all are at most `limit`; no NaN is.
template <class T, class M>
HWY_INLINE bool AreAtMost(M most, float limit) {
  const hn::ScalableTag<Bits<T>> d;
  const uint32_t bits = std::bit_cast<uint32_t>(limit) >> (32 - 8 * sizeof(T));
  return hn::AllTrue(d, hn::Lt(most, hn::Set(d, static_cast<Bits<T>>(bits + 1))));
}

template <class E>
bool IsAligned(const E* pointer, size_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

// A row of the gradient, or of the forward operator, which has no grad and no out_b.
template <class T, bool kIsGrad>
struct Row {
  using E = simd::Stored<T>;
  const E* a;
  const E* b;
  const E* grad;
  E* out_a;
  E* out_b;

  template <Way kWay, class V>
  static HWY_INLINE void Compute(V first, V second, V third, V& v, V& w) {
    if constexpr (kIsGrad) {
      GradOfRegister<T, kWay>(first, second, third, v, w);
    } else {
      v = OfRegister<T, kWay>(first, second);
    }
  }

  // n < lanes elements from `i` on.
  HWY_INLINE void Part(size_t i, size_t n) const {
    const hn::ScalableTag<E> d;
    const auto first = simd::LoadTail(d, a + i, n);
    const auto second = simd::LoadTail(d, b + i, n);
    auto third = second;
    if constexpr (kIsGrad) third = simd::LoadTail(d, grad + i, n);
    auto v = hn::Undefined(d);
    auto w = hn::Undefined(d);
    const auto magnitudes = LargestMagnitudes<T>(hn::Zero(hn::ScalableTag<Bits<T>>()), first);
    if (!kCanLeaveRange<T> || HWY_LIKELY(AreAtMost<T>(magnitudes, kMost))) {
      Compute<Way::kOrdinary>(first, second, third, v, w);
    } else {
      Compute<Way::kAny>(first, second, third, v, w);
    }
    simd::StoreTail(d, v, out_a + i, n);
    if constexpr (kIsGrad) simd::StoreTail(d, w, out_b + i, n);
  }

  // The registers from `i` up to `end`, all in one way: with two in one loop the compiler would load all constants anew
  // for each register.
  template <Way kWay, bool kStreamA, bool kStreamB>
  HWY_INLINE void Registers(size_t i, size_t end) const {
    const hn::ScalableTag<E> d;
    const size_t lanes = hn::Lanes(d);
    for (; i < end; i += lanes) {
      const auto first = hn::LoadU(d, a + i);
      const auto second = hn::LoadU(d, b + i);
      auto third = second;
      if constexpr (kIsGrad) third = hn::LoadU(d, grad + i);
      auto v = hn::Undefined(d);
      auto w = hn::Undefined(d);
      Compute<kWay>(first, second, third, v, w);
      if constexpr (kStreamA) {
        hn::Stream(v, d, out_a + i);
      } else {
        hn::StoreU(v, d, out_a + i);
      }
      if constexpr (kIsGrad && kStreamB) {
        hn::Stream(w, d, out_b + i);
      } else if constexpr (kIsGrad) {
        hn::StoreU(w, d, out_b + i);
      }
    }
  }

  // Whether no |A| is beyond kMost.
  HWY_INLINE bool AreOrdinary(size_t i, size_t end) const {
    if constexpr (!kCanLeaveRange<T>) return true;
    const hn::ScalableTag<E> d;
    auto most = hn::Zero(hn::ScalableTag<Bits<T>>());
#pragma GCC unroll 4
    for (; i < end; i += hn::Lanes(d)) most = LargestMagnitudes<T>(most, hn::LoadU(d, a + i));
    return AreAtMost<T>(most, kMost);
  }

  // Whether no factor is beyond kModerate.
  HWY_INLINE bool AreModerate(size_t i, size_t end) const {
    const hn::ScalableTag<E> d;
    auto most = hn::Zero(hn::ScalableTag<Bits<T>>());
    for (; i < end; i += hn::Lanes(d)) {
      most = LargestMagnitudes<T>(most, hn::LoadU(d, a + i));
      most = LargestMagnitudes<T>(most, hn::LoadU(d, b + i));
      if constexpr (kIsGrad) most = LargestMagnitudes<T>(most, hn::LoadU(d, grad + i));
    }
    return AreAtMost<T>(most, kModerate);
  }

  HWY_NOINLINE void NotOrdinary(size_t i, size_t end) const {
    if (HWY_LIKELY(AreModerate(i, end))) {
      Registers<Way::kUnderflow, false, false>(i, end);
    } else {
      Registers<Way::kAny, false, false>(i, end);
    }
  }

  // All whole registers from `i` on; returns where they end. The way is chosen for some of them at a time.
  template <bool kStreamA, bool kStreamB>
  HWY_INLINE size_t AllRegisters(size_t i, size_t n) const {
    const size_t lanes = hn::Lanes(hn::ScalableTag<E>());
    const size_t whole = i + (n - i) / lanes * lanes;
    for (size_t end; i < whole; i = end) {
      end = kCanLeaveRange<T> ? HWY_MIN(whole, i + 64 * lanes) : whole;
      if (HWY_LIKELY(AreOrdinary(i, end))) {
        Registers<Way::kOrdinary, kStreamA, kStreamB>(i, end);
      } else {
        NotOrdinary(i, end);
      }
    }
    return whole;
  }

  HWY_INLINE void Run(size_t n, bool non_temporal) const {
    const size_t bytes = hn::Lanes(hn::ScalableTag<E>()) * sizeof(E);
    size_t i = 0;
    if (non_temporal) {
      // Up to where out_a is aligned; out_b is, then, when the two halves lie a number of registers apart.
      const size_t misaligned = reinterpret_cast<uintptr_t>(out_a) % bytes;
      const size_t head = misaligned == 0 ? 0 : (bytes - misaligned) / sizeof(E);
      if (misaligned % sizeof(E) == 0 && head <= n) {
        if (head != 0) Part(0, head);
        const bool is_aligned = kIsGrad && IsAligned(out_b + head, bytes);
        i = is_aligned ? AllRegisters<kIsGrad, kIsGrad>(head, n) : AllRegisters<true, false>(head, n);
      }
    }
    i = AllRegisters<false, false>(i, n);
    if (i < n) Part(i, n - i);
  }
};

template <class T>
HWY_ATTR void SwiGlu(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const Row<T, false> operands{tile.Row<E>(0, row), tile.Row<E>(1, row), nullptr, tile.Row<E>(2, row), nullptr};
    operands.Run(static_cast<size_t>(tile.columns), tile.non_temporal);
  }
  if (tile.non_temporal) hwy::FlushStream();
}

template <class T>
HWY_ATTR void SwiGluGrad(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const Row<T, true> operands{tile.Row<E>(0, row), tile.Row<E>(1, row), tile.Row<E>(2, row), tile.Row<E>(3, row),
                                tile.Row<E>(4, row)};
    operands.Run(static_cast<size_t>(tile.columns), tile.non_temporal);
  }
  if (tile.non_temporal) hwy::FlushStream();
}

}  // namespace portacl::ops::swi_glu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::ops::swi_glu {

loops::LaneFunction SwiGluLanes(aclDataType dtype, int64_t target) {
  switch (dtype) {
    case ACL_FLOAT:
      return PORTACL_FOR_TARGET(SwiGlu<float>, target);
    case ACL_FLOAT16:
      return PORTACL_FOR_TARGET(SwiGlu<hwy::float16_t>, target);
    default:
      return PORTACL_FOR_TARGET(SwiGlu<hwy::bfloat16_t>, target);
  }
}

loops::LaneFunction SwiGluGradLanes(aclDataType dtype, int64_t target) {
  switch (dtype) {
    case ACL_FLOAT:
      return PORTACL_FOR_TARGET(SwiGluGrad<float>, target);
    case ACL_FLOAT16:
      return PORTACL_FOR_TARGET(SwiGluGrad<hwy::float16_t>, target);
    default:
      return PORTACL_FOR_TARGET(SwiGluGrad<hwy::bfloat16_t>, target);
  }
}

}  // namespace portacl::ops::swi_glu
#endif  // HWY_ONCE
