// SPDX-License-Identifier: Apache-2.0
//
// Rows of float32, float16 or bfloat16 as float32 lanes in their order, masks of bytes, and sums of rows. Included once
// per target.
//
// Kernels that only map elements use convert.h, whose registers of 16-bit elements are whole and in an order of the
// target's own; a sum needs to know where an element stands.

#if defined(PORTACL_SIMD_ROW_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_ROW_H_
#undef PORTACL_SIMD_ROW_H_
#else
#define PORTACL_SIMD_ROW_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/map.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A register's elements of T as they lie in memory, and mask bytes of as many elements.
template <class T>
using StoredLanes = hn::Rebind<Stored<T>, FloatLanes>;
using ByteLanes = hn::Rebind<uint8_t, FloatLanes>;

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_EMU128
#define PORTACL_FLOAT16_INSTRUCTIONS 0
#else
#define PORTACL_FLOAT16_INSTRUCTIONS 1
#endif

template <class T>
HWY_INLINE FloatVector ToFloats(hn::VFromD<StoredLanes<T>> v) {
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

/// The bits of the nearest bfloat16 in the upper half of each word; the lower half is undefined. NaN are those that
/// were widened and those that instructions make: their lower half is zero, so that nothing is carried into them and
/// they need no test.
HWY_INLINE WordVector RoundedToBfloat16(FloatVector v) {
  const WordLanes d;
  const WordVector bits = hn::BitCast(d, v);
  const WordVector lowest_kept = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  return hn::Add(bits, hn::Add(lowest_kept, hn::Set(d, 0x7FFF)));
}

/// Rounded to nearest even; NaN as above.
template <class T>
HWY_INLINE hn::VFromD<StoredLanes<T>> FromFloats(FloatVector v) {
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

template <class T>
HWY_INLINE FloatVector LoadFloats(const Stored<T>* from) {
  return ToFloats<T>(hn::LoadU(StoredLanes<T>(), from));
}

/// The first n < lanes elements; zero in the other lanes.
template <class T>
HWY_INLINE FloatVector LoadFloats(const Stored<T>* from, size_t n) {
  return ToFloats<T>(LoadTail(StoredLanes<T>(), from, n));
}

template <class T>
HWY_INLINE void StoreFloats(FloatVector v, Stored<T>* to) {
  hn::StoreU(FromFloats<T>(v), StoredLanes<T>(), to);
}

// Sums of bfloat16 may take even and odd elements apart, which is cheaper than to keep their order.

/// A register of bfloat16 from its even and odd elements, see convert.h; NaN as above.
HWY_INLINE HalfVector JoinBfloat16(FloatVector even, FloatVector odd) {
  const WordLanes d;
  const WordVector upper = hn::And(RoundedToBfloat16(odd), hn::Set(d, 0xFFFF0000u));
  return hn::BitCast(HalfLanes(), hn::Or(hn::ShiftRight<16>(RoundedToBfloat16(even)), upper));
}

/// v, zero in its even, or odd, elements whose byte is not zero.
HWY_INLINE FloatVector ZeroEvenWhere(HalfVector bytes, FloatVector v) {
  const WordLanes d;
  const auto mask = hn::Ne(EvenElements(bytes), hn::Zero(d));
  return hn::IfThenZeroElse(hn::RebindMask(FloatLanes(), mask), v);
}
HWY_INLINE FloatVector ZeroOddWhere(HalfVector bytes, FloatVector v) {
  const WordLanes d;
  const auto mask = hn::Ne(hn::And(hn::BitCast(d, bytes), hn::Set(d, 0xFFFF0000u)), hn::Zero(d));
  return hn::IfThenZeroElse(hn::RebindMask(FloatLanes(), mask), v);
}

template <class T>
HWY_INLINE bool IsAlignedToRegister(const Stored<T>* address) {
  return reinterpret_cast<uintptr_t>(address) % (hn::Lanes(FloatLanes()) * sizeof(*address)) == 0;
}

/// As StoreFloats, or around the cache: then `to` is aligned to a register, and the caller owes an hwy::FlushStream().
template <class T>
HWY_INLINE void StoreRegister(FloatVector v, Stored<T>* to, bool past_cache) {
  if (past_cache) {
    hn::Stream(FromFloats<T>(v), StoredLanes<T>(), to);
  } else {
    StoreFloats<T>(v, to);
  }
}

/// True in the lanes whose byte is not zero.
HWY_INLINE hn::Mask<FloatLanes> MaskOf(hn::VFromD<ByteLanes> bytes) {
  const WordLanes d;
  return hn::RebindMask(FloatLanes(), hn::Ne(hn::PromoteTo(d, bytes), hn::Zero(d)));
}
HWY_INLINE hn::Mask<FloatLanes> LoadMask(const uint8_t* from) { return MaskOf(hn::LoadU(ByteLanes(), from)); }
HWY_INLINE hn::Mask<FloatLanes> LoadMask(const uint8_t* from, size_t n) {
  return MaskOf(LoadTail(ByteLanes(), from, n));
}

/// to[i] = element i of the row that `f` computes, for i < n: f(i) gives a register (of `d`) of stored elements from
/// element i on, f(i, m) its first m elements. With `past_cache` whole registers at aligned addresses are stored around
/// the cache, for which the caller owes an hwy::FlushStream().
template <class D, class F>
HWY_INLINE void StoreRow(D d, hn::TFromD<D>* to, size_t n, bool past_cache, const F& f) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  // Highway's Stream of part of a register of 16 bytes writes all of it.
  if (past_cache && lanes * sizeof(*to) >= 16) {
    const size_t misaligned = reinterpret_cast<uintptr_t>(to) % (lanes * sizeof(*to));
    const size_t head = misaligned == 0 ? 0 : lanes - misaligned / sizeof(*to);
    if (misaligned % sizeof(*to) == 0 && head <= n) {
      if (head != 0) StoreTail(d, f(0, head), to, head);
      for (i = head; i + lanes <= n; i += lanes) hn::Stream(f(i), d, to + i);
    }
  }
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(i), d, to + i);
  if (i < n) StoreTail(d, f(i, n - i), to + i, n - i);
}

// Sums over a row have 64 virtual lanes, lane j for the elements whose position is j modulo 64. At most four elements
// of a lane are added in float32; then lane j + 32 is added to j, and j + 16 to j. The 16 lanes that remain are added
// in float64, j + 8 to j, and so on with 4, 2 and 1, and so are such sums of 256 elements. A row of up to 16 elements
// is added in float32, j + 8 to j, and the last eight lanes pairwise. As the order follows from positions alone,
// results are the same bits on every target with fused multiply-add.
inline constexpr size_t kVirtualLanes = 64;
inline constexpr size_t kSumBlock = 4 * kVirtualLanes;
inline constexpr size_t kShortRow = 16;

// Registers of eight lanes and more are folded as such. Others, and those of a length unknown until the program runs,
// go through memory.
#if HWY_TARGET <= HWY_AVX2
#define PORTACL_FOLD_REGISTERS 1
#else
#define PORTACL_FOLD_REGISTERS 0
#endif

#if PORTACL_FOLD_REGISTERS
/// The virtual lanes offset, offset + kStep, ... below kLanes in one register; leaf(j) makes that of the lanes from j
/// on.
template <size_t kLanes, size_t kStep, class Leaf>
HWY_INLINE FloatVector FoldRegisters(const Leaf& leaf, size_t offset) {
  if constexpr (kStep >= kLanes) {
    return leaf(offset);
  } else {
    return hn::Add(FoldRegisters<kLanes, 2 * kStep>(leaf, offset),
                   FoldRegisters<kLanes, 2 * kStep>(leaf, offset + kStep));
  }
}

template <class D>
HWY_INLINE float FoldShort(D, hn::VFromD<D> v) {
  const hn::Half<D> half;
  if constexpr (hn::MaxLanes(D()) > 8) {
    return FoldShort(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    v = hn::Add(v, hn::Shuffle2301(v));
    v = hn::Add(v, hn::Shuffle1032(v));
    return hn::GetLane(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

template <class D>
HWY_INLINE double FoldDoubles(D, hn::VFromD<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return FoldDoubles(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
#endif

template <class Leaf>
HWY_INLINE double SumOfLanes(const Leaf& leaf) {
#if PORTACL_FOLD_REGISTERS
  using D = hn::ScalableTag<double>;
  const D d;
  const hn::Half<FloatLanes> half;
  constexpr size_t kLanes = HWY_LANES(float);
  const FloatVector v = FoldRegisters<kVirtualLanes, 16>(leaf, 0);
  auto lower = hn::PromoteTo(d, hn::LowerHalf(half, v));
  auto upper = hn::PromoteTo(d, hn::UpperHalf(half, v));
#if HWY_TARGET == HWY_AVX2
  const FloatVector w = FoldRegisters<kVirtualLanes, 16>(leaf, kLanes);
  lower = hn::Add(lower, hn::PromoteTo(d, hn::LowerHalf(half, w)));
  upper = hn::Add(upper, hn::PromoteTo(d, hn::UpperHalf(half, w)));
#endif
  return FoldDoubles(d, hn::Add(lower, upper));
#else
  const FloatLanes d;
  HWY_ALIGN float lane[kVirtualLanes];
  for (size_t j = 0; j < kVirtualLanes; j += hn::Lanes(d)) hn::Store(leaf(j), d, lane + j);
  double sum[16];
  for (size_t j = 0; j < 16; ++j) sum[j] = double{(lane[j] + lane[j + 32]) + (lane[j + 16] + lane[j + 48])};
  for (size_t width = 8; width > 0; width /= 2) {
    for (size_t j = 0; j < width; ++j) sum[j] += sum[j + width];
  }
  return sum[0];
#endif
}

template <class Leaf>
HWY_INLINE float SumOfShort(const Leaf& leaf) {
  const FloatLanes d;
#if PORTACL_FOLD_REGISTERS
  return FoldShort(d, FoldRegisters<kShortRow, HWY_LANES(float)>(leaf, 0));
#else
  HWY_ALIGN float lane[kVirtualLanes];
  for (size_t j = 0; j < kShortRow; j += hn::Lanes(d)) hn::Store(leaf(j), d, lane + j);
  for (size_t j = 0; j < 8; ++j) lane[j] += lane[j + 8];
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
#endif
}

template <class F>
struct WholeBlockLeaf {
  const F& f;
  size_t begin;
  HWY_INLINE FloatVector operator()(size_t j) const {
    FloatVector sum = f(begin + j, hn::Zero(FloatLanes()));
    sum = f(begin + j + kVirtualLanes, sum);
    sum = f(begin + j + 2 * kVirtualLanes, sum);
    return f(begin + j + 3 * kVirtualLanes, sum);
  }
};

template <class F>
struct LastBlockLeaf {
  const F& f;
  size_t begin;
  size_t n;
  HWY_INLINE FloatVector operator()(size_t j) const {
    const size_t lanes = hn::Lanes(FloatLanes());
    FloatVector sum = hn::Zero(FloatLanes());
    for (size_t i = begin + j; i < n; i += kVirtualLanes) sum = i + lanes <= n ? f(i, sum) : f(i, n - i, sum);
    return sum;
  }
};

/// The sum over i < n: f(i, sum) adds the register of terms from i on, f(i, m, sum) the first m of them, and every
/// term is asked for once.
template <class F>
HWY_INLINE double SumRow(size_t n, const F& f) {
  if (n <= kShortRow) return double{SumOfShort(LastBlockLeaf<F>{f, 0, n})};
  size_t begin = 0;
  double sum = 0;
  for (; begin + kSumBlock <= n; begin += kSumBlock) sum += SumOfLanes(WholeBlockLeaf<F>{f, begin});
  if (begin < n) sum += SumOfLanes(LastBlockLeaf<F>{f, begin, n});
  return sum;
}

#undef PORTACL_FOLD_REGISTERS

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
