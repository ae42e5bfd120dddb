// SPDX-License-Identifier: Apache-2.0
//
// Square roots of float32 lanes. Included once per target.

#if defined(PORTACL_SIMD_SQUARE_ROOT_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_SQUARE_ROOT_H_
#undef PORTACL_SIMD_SQUARE_ROOT_H_
#else
#define PORTACL_SIMD_SQUARE_ROOT_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The square root of any x, rounded once. Where the instruction is slow, two Newton steps improve a 14-bit estimate;
/// the last step uses the exact error of the square. A test of all mantissas finds the same results. The steps use
/// other units of the processor than the instruction. So if registers alternate between both, square roots take half of
/// the time of the instruction alone, and 0.7 of that of the steps alone.
template <class D, class V>
HWY_INLINE V SquareRoot([[maybe_unused]] D d, V x) {
#if HWY_TARGET == HWY_AVX3
  // From this value on, no step underflows. Neither does it for zeros, which use the estimate for this value.
  const V least = hn::Set(d, 0x1p-90F);
  const hn::RebindToUnsigned<D> words;
  const auto bits_of_least = hn::BitCast(words, least);
  const auto is_ordinary =
      hn::Lt(hn::Sub(hn::BitCast(words, x), bits_of_least), hn::Sub(hn::BitCast(words, hn::Inf(d)), bits_of_least));
  if (HWY_LIKELY(hn::AllTrue(d, hn::Or(hn::RebindMask(d, is_ordinary), hn::Eq(x, hn::Zero(d)))))) {
    const V half = hn::Set(d, 0.5F);
    const V estimate = hn::ApproximateReciprocalSqrt(hn::Max(x, least));
    V root = hn::Mul(x, estimate);
    V slope = hn::Mul(estimate, half);  // 1 / (2 root)
    const V lost = hn::NegMulAdd(root, slope, half);
    root = hn::MulAdd(root, lost, root);
    slope = hn::MulAdd(slope, lost, slope);
    return hn::MulAdd(hn::NegMulAdd(root, root, x), slope, root);
  }
#endif
  return hn::Sqrt(x);
}

/// The square root of bfloat16 elements with 22 bits. It rounds to bfloat16 like the exact root: the root of an 8-bit
/// value is never closer to the middle between two 8-bit values than a relative distance of 2^-20.
template <class D, class V>
HWY_INLINE V SquareRootOfBfloat16([[maybe_unused]] D d, V x) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(V) == 64) {
    constexpr int kZeros = 0x06, kInfinity = 0x08;
    const auto is_special = _mm512_fpclass_ps_mask(x.raw, kZeros | kInfinity);
    const V half = hn::Set(d, 0.5F);
    const V estimate = V{_mm512_rsqrt14_ps(x.raw)};
    const V root = hn::Mul(x, estimate);
    const V better = hn::MulAdd(hn::NegMulAdd(root, hn::Mul(estimate, half), half), root, root);
    return V{_mm512_mask_mov_ps(better.raw, is_special, x.raw)};
  }
#endif
  return hn::Sqrt(x);
}

/// Kernels: for bfloat16; by the instruction; for any dtype, where every second register uses the instruction.
struct SquareRootLanesOfBfloat16 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return SquareRootOfBfloat16(d, x);
  }
};
struct SquareRootInstruction {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
};
struct SquareRootLanes {
  using OfBfloat16 = SquareRootLanesOfBfloat16;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return SquareRoot(d, x);
  }
#if HWY_TARGET == HWY_AVX3
  SquareRootInstruction Other() const { return {}; }
#endif
};

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
