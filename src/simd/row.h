// SPDX-License-Identifier: Apache-2.0
//
// Rows of float32, float16 or bfloat16 as float32 lanes in order, and masks of bytes. Included once per target.
//
// Kernels that only map elements use convert.h, which works on whole registers of 16-bit elements, in an order that
// depends on the target. Sums need the position of each element.

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

/// Mask bytes for one register of floats.
using ByteLanes = hn::Rebind<uint8_t, FloatLanes>;

template <class T>
HWY_INLINE FloatVector LoadFloats(const Stored<T>* from) {
  return ToFloats<T>(hn::LoadU(StoredLanes<T>(), from));
}

/// Returns v, and makes the compiler keep it in a register. If a value is used twice, GCC 12 would load it from memory
/// twice, which costs 5 % of the gradient of a row in the second-level cache.
template <class V>
HWY_INLINE V InRegister(V v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && HWY_COMPILER_GCC_ACTUAL
  asm("" : "+v"(v.raw));
#endif
  return v;
}

/// Loads the first n < lanes elements, and zero in the other lanes.
template <class T>
PORTACL_LANE_INLINE FloatVector LoadFloats(const Stored<T>* from, size_t n) {
  return ToFloats<T>(LoadTail(StoredLanes<T>(), from, n));
}

template <class T>
HWY_INLINE void StoreFloats(FloatVector v, Stored<T>* to) {
  hn::StoreU(FromFloats<T>(v), StoredLanes<T>(), to);
}

/// A register of bfloat16 from its lower and its upper half; see RoundHalves.
PORTACL_LANE_INLINE HalfVector ConcatBfloat16(FloatVector first, FloatVector last) {
  const HalfLanes d;
  const HalfVector first_halves = hn::BitCast(d, first);
  const HalfVector last_halves = hn::BitCast(d, last);
  return RoundHalves(hn::ConcatOdd(d, last_halves, first_halves), hn::ConcatEven(d, last_halves, first_halves));
}

template <class T>
HWY_INLINE bool IsAlignedToRegister(const Stored<T>* address) {
  return reinterpret_cast<uintptr_t>(address) % (hn::Lanes(FloatLanes()) * sizeof(*address)) == 0;
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

/// v, or zero in the lanes whose byte is not zero.
HWY_INLINE FloatVector ZeroWhere(hn::VFromD<ByteLanes> bytes, FloatVector v) {
  const WordLanes d;
  return hn::IfThenElseZero(hn::RebindMask(FloatLanes(), hn::Eq(hn::PromoteTo(d, bytes), hn::Zero(d))), v);
}

/// The lanes of a group, which is as many elements as StoreRow handles at a time. IsClear tells whether all mask bytes
/// of a group are zero.
using GroupLanes = hn::ScalableTag<uint8_t>;
HWY_INLINE bool IsClear(const uint8_t* from) {
  const GroupLanes d;
  return hn::AllTrue(d, hn::Eq(hn::LoadU(d, from), hn::Zero(d)));
}

/// Prefetches a group of elements.
template <class E>
HWY_INLINE void FetchGroup(const E* from) {
  constexpr size_t kLine = 64 / sizeof(E);
  for (size_t i = 0; i < hn::Lanes(GroupLanes()); i += kLine) hwy::Prefetch(from + i);
}

/// Whether all mask bytes of a row are zero.
HWY_INLINE bool IsClear(const uint8_t* from, size_t n) {
  const GroupLanes d;
  const size_t group = hn::Lanes(d);
  auto any = hn::Zero(d);
  size_t i = 0;
  for (; i + group <= n; i += group) any = hn::Or(any, hn::LoadU(d, from + i));
  if (i < n) any = hn::Or(any, LoadTail(d, from + i, n - i));
  return hn::AllTrue(d, hn::Eq(any, hn::Zero(d)));
}

// Stores the registers 0 to kRegisters - 1.
template <size_t kRegisters, bool kMasked, bool kNonTemporal, class D, class F>
HWY_INLINE void StoreRegisters(D d, hn::TFromD<D>* to, const F& f) {
  if constexpr (kRegisters > 1) StoreRegisters<kRegisters - 1, kMasked, kNonTemporal>(d, to, f);
  const size_t i = (kRegisters - 1) * hn::Lanes(d);
  StoreRegister(d, f.template At<kMasked>(i), to + i, kNonTemporal);
}

// Registers of a group. On SVE, Highway's MaxLanes() is too small for lanes that do not fill a register.
template <class D>
constexpr size_t kGroupRegisters = std::is_same_v<D, HalfLanes> ? sizeof(uint16_t) : sizeof(float);

template <bool kNonTemporal, class D, class F>
HWY_INLINE void StoreGroups(D d, hn::TFromD<D>* to, size_t begin, size_t end, bool backwards, const F& f) {
  constexpr size_t kRegisters = kGroupRegisters<D>;
  const size_t group = hn::Lanes(GroupLanes());
  size_t i = backwards ? end - group : begin;
  for (size_t left = end - begin; left != 0; left -= group) {
    const F of_group = f.From(i);
    if (kNonTemporal && !backwards) of_group.FetchNext();
    if (of_group.IsOpen()) {
      StoreRegisters<kRegisters, false, kNonTemporal>(d, to + i, of_group);
    } else {
      StoreRegisters<kRegisters, true, kNonTemporal>(d, to + i, of_group);
    }
    i = backwards ? i - group : i + group;
  }
}

inline constexpr size_t kLineBytes = 64;

// Highway's Stream of less than 16 bytes writes 16 bytes.
template <class D>
HWY_INLINE bool StreamsRegisters(D d) {
  return hn::Lanes(d) * sizeof(hn::TFromD<D>) >= 16;
}

// Stores the first elements of StoreRow, up to the end of the last group of aligned registers; returns their number.
template <class D, class F>
HWY_INLINE size_t StoreAlignedGroups(D d, hn::TFromD<D>* to, size_t n, bool& non_temporal, bool backwards, const F& f) {
  const size_t lanes = hn::Lanes(d);
  const size_t group = hn::Lanes(GroupLanes());
  const size_t misaligned = reinterpret_cast<uintptr_t>(to) % (lanes * sizeof(*to));
  size_t head = misaligned == 0 ? 0 : lanes - misaligned / sizeof(*to);
  non_temporal &= StreamsRegisters(d);
  if (misaligned % sizeof(*to) != 0 || head > n || (!non_temporal && n < 2 * group)) {
    non_temporal &= misaligned == 0;
    head = 0;
  }
  // The cache line that a row shares with the next row is stored normally; until it is loaded from memory, all later
  // stores would wait. So it is prefetched.
  if (non_temporal && reinterpret_cast<uintptr_t>(to + n) % kLineBytes != 0) hwy::Prefetch(to + n - 1);
  if (head != 0) StoreTail(d, f.First(0, head), to, head);
  const size_t end = head + (n - head) / group * group;
  if (non_temporal) {
    StoreGroups<true>(d, to, head, end, backwards, f);
  } else {
    StoreGroups<false>(d, to, head, end, backwards, f);
  }
  return end;
}

/// Whether rows of n elements, `stride` bytes apart, all consist of whole groups of aligned registers.
template <class D>
HWY_INLINE bool AreWhole(D d, const hn::TFromD<D>* first, ptrdiff_t stride, size_t n) {
  if constexpr (HWY_TARGET == HWY_EMU128) return false;  // keeps the fallback small
  const auto bits = reinterpret_cast<uintptr_t>(first) | static_cast<uintptr_t>(stride);
  return n % hn::Lanes(GroupLanes()) == 0 && bits % (hn::Lanes(d) * sizeof(*first)) == 0;
}

/// StoreRow for rows that are AreWhole(). The tests that StoreRow makes for each row take as long as 40 elements.
template <class D, class F>
HWY_INLINE void StoreWholeRow(D d, hn::TFromD<D>* to, size_t n, bool non_temporal, const F& f) {
  if (non_temporal && StreamsRegisters(d)) {
    StoreGroups<true>(d, to, 0, n, false, f);
  } else {
    StoreGroups<false>(d, to, 0, n, false, f);
  }
}

/// to[i] = element i of the row that `f` computes, for i < n. f.template At<kMasked>(i) returns a register (of `d`) of
/// stored elements from element i on; f.First(i, m) returns its first m elements. f.From(i) is the `f` of the row from
/// i on. f.IsOpen() tells whether the mask is false for all of its first group; kMasked is false then. Except in the
/// shortest rows, registers are stored at aligned addresses, so that no store crosses a cache line, nor does a load of
/// an operand with the same alignment. If `non_temporal`, stores are non-temporal, the caller must call
/// hwy::FlushStream(), and f.FetchNext() prefetches what follows the row. If `backwards`, the last elements are stored
/// first: they are the ones in the cache after a sweep over a row that is too long for it.
template <class D, class F>
HWY_INLINE void StoreRow(D d, hn::TFromD<D>* to, size_t n, bool non_temporal, bool backwards, const F& f) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  if constexpr (HWY_TARGET == HWY_EMU128) {
    non_temporal = false;  // the fallback has no non-temporal stores, and is kept small
  } else {
    i = StoreAlignedGroups(d, to, n, non_temporal, backwards, f);
  }
  for (; i + lanes <= n; i += lanes) StoreRegister(d, f.template At<true>(i), to + i, non_temporal);
  if (i < n) StoreTail(d, f.First(i, n - i), to + i, n - i);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
