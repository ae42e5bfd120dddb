// SPDX-License-Identifier: Apache-2.0
//
// float16 and bfloat16 to float32, which is exact, and back, rounded once to nearest even. Included once per target.
//
// A register of 16-bit elements widens into two registers of float32: the "first" and the "second" half of the
// elements. Each target chooses which elements these are (even and odd, or lower and upper: whatever is cheapest), and
// Narrow restores the order. Elementwise kernels need no more; for other code, kSplitsEvenAndOdd tells the choice.
//
// Highway 1.0.3 narrows bfloat16 by truncation on every target; on SSE4 and EMU128 it narrows float16 by truncation and
// widens infinities to 65536. So bfloat16 uses integer arithmetic here, and so does float16 where the target has no
// conversion instructions.

#if defined(PORTACL_SIMD_CONVERT_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_CONVERT_H_
#undef PORTACL_SIMD_CONVERT_H_
#else
#define PORTACL_SIMD_CONVERT_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "simd/evaluate.h"
#include "simd/operand.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// For functions that are called once per register or row: EMU128 expands every operation to code for every lane, so
// inlined copies would make the code large.
#undef PORTACL_LANE_INLINE
#if HWY_TARGET == HWY_EMU128
#define PORTACL_LANE_INLINE inline HWY_NOINLINE
#else
#define PORTACL_LANE_INLINE HWY_INLINE
#endif

/// Lanes for arithmetic, and lanes of stored 16-bit elements (twice as many).
using FloatLanes = hn::ScalableTag<float>;
using HalfLanes = hn::ScalableTag<uint16_t>;
using FloatVector = hn::VFromD<FloatLanes>;
using HalfVector = hn::VFromD<HalfLanes>;
using WordLanes = hn::ScalableTag<uint32_t>;
using WordVector = hn::VFromD<WordLanes>;

/// Two 16-bit elements share a 32-bit word. These functions extract the even or the odd one to the low half of the
/// word, and join them again. (On the little-endian targets that Highway supports, the even element is the low half.)
HWY_INLINE WordVector EvenElements(HalfVector v) {
  const WordLanes d;
  return hn::And(hn::BitCast(d, v), hn::Set(d, 0xFFFFu));
}
HWY_INLINE WordVector OddElements(HalfVector v) { return hn::ShiftRight<16>(hn::BitCast(WordLanes(), v)); }
HWY_INLINE HalfVector JoinElements(WordVector even, WordVector odd) {
  return hn::BitCast(HalfLanes(), hn::Or(even, hn::ShiftLeft<16>(odd)));
}

/// The bits of the bfloat16 nearest to `v`, in the upper half of each word; the lower half is undefined.
PORTACL_LANE_INLINE WordVector RoundToBfloat16(FloatVector v) {
  const WordLanes d;
  const WordVector bits = hn::BitCast(d, v);
  // Adds half a unit less one, plus the lowest kept bit: a tie rounds up exactly if that bit is odd. A carry into the
  // exponent is correct, too, up to infinity. In a NaN, a carry could reach the sign, so a NaN is only made quiet.
  const WordVector lowest_kept = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  const WordVector rounded = hn::Add(bits, hn::Add(lowest_kept, hn::Set(d, 0x7FFF)));
  const WordVector quiet = hn::Or(bits, hn::Set(d, 0x00400000));
  return hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(v)), quiet, rounded);
}

// Words are passed through Evaluate as float32 with the same bits.
struct WidenedFloat16 {
  template <class D, class V>
  HWY_INLINE V operator()(D df, V words) const {
    const hn::RebindToUnsigned<D> d;
    const auto bits = hn::BitCast(d, words);
    const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(d, 0x7FFF)));
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(d, 0x8000)));
    const auto normal = hn::Add(magnitude, hn::Set(d, (127u - 15) << 23));
    // Infinity and NaN: the exponent becomes 255.
    const auto special = hn::Add(normal, hn::Set(d, (128u - 16) << 23));
    // Subnormal: the mantissa of 2^-14 + x, minus 2^-14. No float32 subnormal occurs on the way.
    const auto smallest_normal = hn::Set(d, 113u << 23);
    const auto subnormal =
        hn::BitCast(d, hn::Sub(hn::BitCast(df, hn::Add(magnitude, smallest_normal)), hn::BitCast(df, smallest_normal)));
    const auto is_special = hn::Gt(magnitude, hn::Set(d, (31u << 23) - 1));
    const auto is_subnormal = hn::Lt(magnitude, hn::Set(d, 1u << 23));
    const auto value = hn::IfThenElse(is_special, special, hn::IfThenElse(is_subnormal, subnormal, normal));
    return hn::BitCast(df, hn::Or(value, sign));
  }
};

struct RoundedToFloat16 {
  template <class D, class V>
  HWY_INLINE V operator()(D df, V v) const {
    const hn::RebindToUnsigned<D> d;
    const auto bits = hn::BitCast(d, v);
    const auto sign = hn::And(bits, hn::Set(d, 0x80000000u));
    const auto magnitude = hn::Xor(bits, sign);
    // Normal result: as in RoundToBfloat16, a carry into the exponent is correct, and reaches infinity from 65520 on.
    const auto lowest_kept = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1));
    const auto rebiased = hn::Sub(magnitude, hn::Set(d, (127u - 15) << 23));
    const auto normal = hn::ShiftRight<13>(hn::Add(rebiased, hn::Add(lowest_kept, hn::Set(d, 0xFFF))));
    // Subnormal result: x is added to 0.5, whose last mantissa bit is 2^-24, so the addition rounds to nearest even.
    const auto half = hn::Set(d, 126u << 23);
    const auto subnormal = hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(df, magnitude), hn::BitCast(df, half))), half);
    const auto is_subnormal = hn::Lt(magnitude, hn::Set(d, 113u << 23));
    // From 65536 on, the normal case would go beyond infinity.
    const auto is_huge = hn::Gt(magnitude, hn::Set(d, (143u << 23) - 1));
    const auto finite = hn::IfThenElse(is_subnormal, subnormal, normal);
    const auto nan_or_infinity =
        hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(v)), hn::Set(d, 0x7E00), hn::Set(d, 0x7C00));
    return hn::BitCast(df, hn::Or(hn::IfThenElse(is_huge, nan_or_infinity, finite), hn::ShiftRight<16>(sign)));
  }
};

/// Widens the float16 bits in the low half of each word, without float16 instructions.
HWY_INLINE FloatVector WidenFloat16Bits(WordVector bits) {
  const FloatLanes df;
  return Evaluate(df, WidenedFloat16(), hn::BitCast(df, bits));
}

/// The bits of the float16 nearest to `v` in the low half of each word, zero in the upper half, without float16
/// instructions.
HWY_INLINE WordVector RoundToFloat16Bits(FloatVector v) {
  return hn::BitCast(WordLanes(), Evaluate(FloatLanes(), RoundedToFloat16(), v));
}

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_EMU128
#define PORTACL_FLOAT16_INSTRUCTIONS 0
#else
#define PORTACL_FLOAT16_INSTRUCTIONS 1
#endif

/// Whether the halves of a register are its even and its odd elements; otherwise they are its lower and its upper
/// elements.
template <class T>
inline constexpr bool kSplitsEvenAndOdd = std::is_same_v<T, hwy::bfloat16_t> || !PORTACL_FLOAT16_INSTRUCTIONS;

/// Whether the halves of a register are better loaded and stored one at a time: on x86 each takes an instruction to
/// extract or to insert.
template <class T>
inline constexpr bool kMovesHalves = HWY_ARCH_X86 && std::is_same_v<T, hwy::float16_t> && !kSplitsEvenAndOdd<T>;

template <class T>
PORTACL_LANE_INLINE FloatVector WidenFirst(HalfVector v) {
  if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
    return hn::BitCast(FloatLanes(), hn::ShiftLeft<16>(hn::BitCast(WordLanes(), v)));
  } else {
#if PORTACL_FLOAT16_INSTRUCTIONS
    const hn::Half<HalfLanes> half;
    const hn::Rebind<hwy::float16_t, decltype(half)> half_float;
    return hn::PromoteTo(FloatLanes(), hn::BitCast(half_float, hn::LowerHalf(half, v)));
#else
    return WidenFloat16Bits(EvenElements(v));
#endif
  }
}

template <class T>
PORTACL_LANE_INLINE FloatVector WidenSecond(HalfVector v) {
  if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
    const WordLanes d;
    return hn::BitCast(FloatLanes(), hn::And(hn::BitCast(d, v), hn::Set(d, 0xFFFF0000u)));
  } else {
#if PORTACL_FLOAT16_INSTRUCTIONS
    const hn::Half<HalfLanes> half;
    const hn::Rebind<hwy::float16_t, decltype(half)> half_float;
    return hn::PromoteTo(FloatLanes(), hn::BitCast(half_float, hn::UpperHalf(half, v)));
#else
    return WidenFloat16Bits(OddElements(v));
#endif
  }
}

template <class T>
PORTACL_LANE_INLINE HalfVector Narrow(FloatVector first, FloatVector second) {
  if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
    const WordLanes d;
    const WordVector odd = hn::And(RoundToBfloat16(second), hn::Set(d, 0xFFFF0000u));
    return hn::BitCast(HalfLanes(), hn::Or(hn::ShiftRight<16>(RoundToBfloat16(first)), odd));
  } else {
#if PORTACL_FLOAT16_INSTRUCTIONS
    const hn::Half<HalfLanes> half;
    const hn::Rebind<hwy::float16_t, decltype(half)> half_float;
    return hn::Combine(HalfLanes(), hn::BitCast(half, hn::DemoteTo(half_float, second)),
                       hn::BitCast(half, hn::DemoteTo(half_float, first)));
#else
    return JoinElements(RoundToFloat16Bits(first), RoundToFloat16Bits(second));
#endif
  }
}

// The same for one register of floats, whose elements keep their order.

/// The stored elements of T for one register of floats.
template <class T>
using StoredLanes = hn::Rebind<Stored<T>, FloatLanes>;

template <class T>
PORTACL_LANE_INLINE FloatVector ToFloats(hn::VFromD<StoredLanes<T>> v) {
  const FloatLanes d;
  if constexpr (std::is_same_v<T, float>) {
    return v;
  } else if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(WordLanes(), v)));
  } else {
#if PORTACL_FLOAT16_INSTRUCTIONS
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, FloatLanes>(), v));
#else
    return WidenFloat16Bits(hn::PromoteTo(WordLanes(), v));
#endif
  }
}

/// The bits of the nearest bfloat16 in the upper half of each word; the lower half is undefined. A NaN was widened from
/// bfloat16 or made by an instruction, so its lower half is zero: rounding carries nothing into it, and no test is
/// needed.
HWY_INLINE WordVector RoundedToBfloat16(FloatVector v) {
  const WordLanes d;
  const WordVector bits = hn::BitCast(d, v);
  const WordVector lowest_kept = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  return hn::Add(bits, hn::Add(lowest_kept, hn::Set(d, 0x7FFF)));
}

/// Rounds to nearest even. For NaN, see RoundedToBfloat16.
template <class T>
PORTACL_LANE_INLINE hn::VFromD<StoredLanes<T>> FromFloats(FloatVector v) {
  if constexpr (std::is_same_v<T, float>) {
    return v;
  } else {
    const StoredLanes<T> d;
    const hn::RebindToSigned<FloatLanes> di;
    if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
      return hn::DemoteTo(d, hn::BitCast(di, hn::ShiftRight<16>(RoundedToBfloat16(v))));
    } else {
#if PORTACL_FLOAT16_INSTRUCTIONS
      return hn::BitCast(d, hn::DemoteTo(hn::Rebind<hwy::float16_t, FloatLanes>(), v));
#else
      return hn::DemoteTo(d, hn::BitCast(di, RoundToFloat16Bits(v)));
#endif
    }
  }
}

#undef PORTACL_FLOAT16_INSTRUCTIONS

// Results of bfloat16 operands cost half as much to round. Their NaN were widened from bfloat16 or made by
// instructions, so the lower half of each NaN is zero. Rounding carries nothing into a NaN, so no test is needed.

/// bfloat16 from the upper and lower halves of float32, where the lower half of every NaN is zero. An upper half is
/// rounded up if the lower half, less 1 if the upper half is even, has its highest bit set.
PORTACL_LANE_INLINE HalfVector RoundHalves(HalfVector upper, HalfVector lower) {
  const HalfLanes d;
  const HalfVector less_if_even = hn::SaturatedSub(lower, hn::AndNot(upper, hn::Set(d, 1)));
  return hn::Add(upper, hn::ShiftRight<15>(less_if_even));
}

/// A register of bfloat16 from its even and odd elements, with the same requirement.
PORTACL_LANE_INLINE HalfVector JoinBfloat16(FloatVector even, FloatVector odd) {
  const HalfLanes d;
  const WordLanes dw;
  const WordVector even_bits = hn::BitCast(dw, even);
  const WordVector odd_bits = hn::BitCast(dw, odd);
  return RoundHalves(hn::OddEven(hn::BitCast(d, odd_bits), hn::BitCast(d, hn::ShiftRight<16>(even_bits))),
                     hn::OddEven(hn::BitCast(d, hn::ShiftLeft<16>(odd_bits)), hn::BitCast(d, even_bits)));
}

/// Narrow for results of operands of T. A NaN that the kernel makes itself must have zeros in its lower half.
template <class T>
HWY_INLINE HalfVector NarrowResults(FloatVector first, FloatVector second) {
  if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
    return JoinBfloat16(first, second);
  } else {
    return Narrow<T>(first, second);
  }
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
