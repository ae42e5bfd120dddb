// SPDX-License-Identifier: Apache-2.0
//
// Applies a lane function to contiguous elements: in float32 lanes for float32, float16 and bfloat16, in float64 lanes
// for float64. Included once per target.
//
//   struct Square {
//     template <class D, class V>
//     HWY_INLINE V operator()(D, V x) const { return hn::Mul(x, x); }
//   };
//   Map<hwy::bfloat16_t>(Square{}, n, Cached{}, out, in);

#if defined(PORTACL_SIMD_MAP_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_MAP_H_
#undef PORTACL_SIMD_MAP_H_
#else
#define PORTACL_SIMD_MAP_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/tuning.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/evaluate.h"
#include "simd/operand.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// For functions that call Map: the compiler may let the steps of independent registers take turns. On AVX2, with long
// formulas, processors look ahead by too few instructions to find the next register's. With AVX-512 it was not
// measured.
#undef PORTACL_SCHEDULED
#if HWY_TARGET == HWY_AVX2 && HWY_COMPILER_GCC_ACTUAL
#define PORTACL_SCHEDULED __attribute__((optimize("schedule-insns")))
#else
#define PORTACL_SCHEDULED
#endif

/// Whether the kernel works on the bits of 16-bit elements, by kernel.OfWords(in...): it may if it only changes signs.
template <class T, class Kernel, class... V>
inline constexpr bool kWorksOnWords =
    !std::is_floating_point_v<T> && requires(const Kernel& kernel, V... in) { kernel.OfWords(in...); };

/// Passes one register of stored elements of each input through the kernel, and returns one register of stored
/// elements.
template <class T, class Kernel, class... V>
PORTACL_LANE_INLINE hn::VFromD<hn::ScalableTag<Stored<T>>> Apply(const Kernel& kernel, V... in) {
  if constexpr (kWorksOnWords<T, Kernel, V...>) {
    return kernel.OfWords(in...);
  } else if constexpr (std::is_floating_point_v<T>) {
    return Evaluate(hn::ScalableTag<T>(), kernel, in...);
  } else {
    const FloatLanes d;
    return NarrowResults<T>(Evaluate(d, kernel, WidenFirst<T>(in)...), Evaluate(d, kernel, WidenSecond<T>(in)...));
  }
}

/// Stores v. If the store is non-temporal, `to` must be aligned to a register, and the caller must call
/// hwy::FlushStream().
template <class D>
HWY_INLINE void StoreRegister(D d, hn::VFromD<D> v, hn::TFromD<D>* to, bool non_temporal) {
  if (non_temporal) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

/// Maps one register of elements from `i` on. For non-temporal stores, see StoreRegister.
template <class T, class Kernel, class... In>
HWY_INLINE void MapRegister(const Kernel& kernel, size_t i, bool non_temporal, Stored<T>* out, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  if constexpr (kMovesHalves<T> && !kWorksOnWords<T, Kernel, decltype(LoadOperand(d, in, i))...>) {
    const FloatLanes df;
    const StoredLanes<T> dh;
    const size_t middle = i + hn::Lanes(df);
    const FloatVector first = Evaluate(df, kernel, ToFloats<T>(LoadOperand(dh, in, i))...);
    const FloatVector second = Evaluate(df, kernel, ToFloats<T>(LoadOperand(dh, in, middle))...);
    StoreRegister(dh, FromFloats<T>(first), out + i, non_temporal);
    StoreRegister(dh, FromFloats<T>(second), out + middle, non_temporal);
  } else {
    StoreRegister(d, Apply<T>(kernel, LoadOperand(d, in, i)...), out + i, non_temporal);
  }
}

#if HWY_TARGET == HWY_AVX2
/// The shorter form of a kernel of one operand: kernel.Ordinary(d, x) has the same result where kernel.AreOrdinary(d, x).
template <class Kernel>
struct OrdinaryOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return kernel.Ordinary(d, x);
  }
  const Kernel& kernel;
};
template <class Kernel>
inline constexpr bool kHasOrdinary =
    requires(const Kernel& kernel, FloatVector x) { kernel.AreOrdinary(FloatLanes(), x); };

/// Whether all elements of a register of stored elements are ordinary.
template <class T, class Kernel, class V>
HWY_INLINE hn::Mask<FloatLanes> AreOrdinary(const Kernel& kernel, V v) {
  const FloatLanes d;
  if constexpr (std::is_same_v<T, float>) {
    return kernel.AreOrdinary(d, v);
  } else {
    return hn::And(kernel.AreOrdinary(d, WidenFirst<T>(v)), kernel.AreOrdinary(d, WidenSecond<T>(v)));
  }
}

/// MapRegister for two registers, whose steps the compiler may let take turns, see PORTACL_SCHEDULED.
template <class T, class Kernel, class... In>
HWY_INLINE void MapPair(const Kernel& kernel, size_t i, size_t j, bool non_temporal, Stored<T>* out, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  if constexpr (kMovesHalves<T> && !kWorksOnWords<T, Kernel, decltype(LoadOperand(d, in, i))...>) {
    MapRegister<T>(kernel, i, non_temporal, out, in...);
    MapRegister<T>(kernel, j, non_temporal, out, in...);
  } else {
    if constexpr (!std::is_same_v<T, double> && kHasOrdinary<Kernel>) {
      const auto are_ordinary =
          hn::And(AreOrdinary<T>(kernel, LoadOperand(d, in, i)...), AreOrdinary<T>(kernel, LoadOperand(d, in, j)...));
      if (HWY_LIKELY(hn::AllTrue(FloatLanes(), are_ordinary))) {
        const OrdinaryOf<Kernel> ordinary{kernel};
        const auto v = Apply<T>(ordinary, LoadOperand(d, in, i)...);
        const auto w = Apply<T>(ordinary, LoadOperand(d, in, j)...);
        StoreRegister(d, v, out + i, non_temporal);
        return StoreRegister(d, w, out + j, non_temporal);
      }
    }
    const auto v = Apply<T>(kernel, LoadOperand(d, in, i)...);
    const auto w = Apply<T>(kernel, LoadOperand(d, in, j)...);
    StoreRegister(d, v, out + i, non_temporal);
    StoreRegister(d, w, out + j, non_temporal);
  }
}
#endif

/// The way through the blocks of the elements [begin, n): from the first to the last, or backwards, so that no load
/// waits for the stores before it; see IsJustBehind.
struct BlockWalk {
  HWY_INLINE BlockWalk(size_t begin, size_t n, size_t block, bool backwards)
      : left((n - begin) / block), at(begin), end(begin + left * block), step(static_cast<ptrdiff_t>(block)) {
    if (backwards && left != 0) at = end - block, step = -step;
  }

  HWY_INLINE void Next() { --left, at += static_cast<size_t>(step); }
  /// For blocks of two registers, the one that comes first on this way, and the other one. Stores to one cache line
  /// should follow each other: otherwise loops take up to twice as long (Golden Cove).
  HWY_INLINE size_t First(size_t lanes) const { return at + (step < 0 ? lanes : 0); }
  HWY_INLINE size_t Second(size_t lanes) const { return at + (step < 0 ? 0 : lanes); }
  /// The distance of prefetches, in the direction of the walk.
  HWY_INLINE int64_t Ahead(int64_t bytes) const { return step < 0 ? -bytes : bytes; }

  size_t left;
  size_t at;
  const size_t end;  // of the last block
  ptrdiff_t step;
};

/// Number of elements from `address` to the first one that is aligned to a register; SIZE_MAX if none is.
template <class D>
HWY_INLINE size_t ElementsToAligned(D d, const hn::TFromD<D>* address) {
  const size_t bytes = -reinterpret_cast<uintptr_t>(address) % (hn::Lanes(d) * sizeof(*address));
  return bytes % sizeof(*address) == 0 ? bytes / sizeof(*address) : SIZE_MAX;
}

/// Map for the n elements from `i` on, at most one register.
template <class T, class Kernel, class... In>
HWY_INLINE void MapTail(const Kernel& kernel, size_t i, size_t n, Stored<T>* out, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  StoreTail(d, Apply<T>(kernel, LoadOperandTail(d, in, i, n)...), out + i, n);
}

/// out[i] = kernel(in[i]...) for i < n, rounded once. Each `in` is a pointer to stored elements, or a Repeated value.
/// `out` may be one of the inputs. With `is_large`, for more data than the caches hold, inputs may be prefetched, and
/// stores are non-temporal if the address allows it and `out` is no input; the caller must call hwy::FlushStream()
/// before others read. For the dead lanes of a tail, see LoadOperandTail. A NaN that the kernel makes itself must be as
/// NarrowResults requires.
template <class T, class Kernel, class... In>
HWY_INLINE void Map(const Kernel& kernel, size_t n, bool is_large, Stored<T>* out, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  const bool streams =
      (!IsAt(in, out) && ...);  // in place, the lines are in the cache already, and the next reader finds some there
  // In place, the hardware of some processors fetches in time, and prefetches only take time.
  constexpr bool kHasSeveral = (0 + ... + (std::is_pointer_v<In> ? 1 : 0)) > 1;
  const auto distance = [&] {
    const Tuning& tuning = CurrentTuning();
    if (streams) return tuning.elementwise_prefetch_bytes;
    return kHasSeveral ? tuning.several_in_place_prefetch_bytes : tuning.in_place_prefetch_bytes;
  };
  // EMU128 has no non-temporal stores.
  if (const int64_t ahead = HWY_TARGET != HWY_EMU128 && is_large ? distance() : 0; ahead != 0) {
    const size_t head = ElementsToAligned(d, out);
    if (head < n) {
      if (head != 0) MapTail<T>(kernel, 0, head, out, in...);
      i = head;
#if HWY_TARGET == HWY_AVX2
      if (streams) {
        BlockWalk walk(i, n, 2 * lanes, (IsJustBehind(in, out) || ...));
        for (const int64_t away = walk.Ahead(ahead); walk.left != 0; walk.Next()) {
          (FetchAhead(in, walk.at, away), ...);
          (FetchAhead(in, walk.at + lanes, away), ...);
          MapPair<T>(kernel, walk.First(lanes), walk.Second(lanes), true, out, in...);
        }
        i = walk.end;
      }
#endif
      for (; i + lanes <= n; i += lanes) {
        (FetchAhead(in, i, ahead), ...);
        MapRegister<T>(kernel, i, streams, out, in...);
      }
    }
  }
#if HWY_TARGET == HWY_AVX2
  // Where stores span two lines, Golden Cove takes twice as long backwards.
  BlockWalk walk(i, n, 2 * lanes, ElementsToAligned(d, out + i) == 0 && (IsJustBehind(in, out) || ...));
  for (; walk.left != 0; walk.Next()) MapPair<T>(kernel, walk.First(lanes), walk.Second(lanes), false, out, in...);
  i = walk.end;
#endif
  for (; i + lanes <= n; i += lanes) MapRegister<T>(kernel, i, false, out, in...);
  if (i < n) MapTail<T>(kernel, i, n - i, out, in...);
}

/// Maps one register of elements of both outputs from `i` on.
template <class T, bool kStream, bool kStreamSecond, class Kernel, class Second, class... In>
HWY_INLINE void MapTwoRegister(const Kernel& kernel, const Second& second, size_t i, Stored<T>* out,
                               Stored<T>* second_out, In... in) {
  if constexpr (kMovesHalves<T>) {
    const FloatLanes df;
    const StoredLanes<T> d;
    const size_t middle = i + hn::Lanes(df);
    const FloatVector w = Evaluate(df, second, ToFloats<T>(LoadOperand(d, in, i))...);
    const FloatVector v = Evaluate(df, kernel, ToFloats<T>(LoadOperand(d, in, i))...);
    const FloatVector last_w = Evaluate(df, second, ToFloats<T>(LoadOperand(d, in, middle))...);
    const FloatVector last_v = Evaluate(df, kernel, ToFloats<T>(LoadOperand(d, in, middle))...);
    StoreRegister(d, FromFloats<T>(v), out + i, kStream);
    StoreRegister(d, FromFloats<T>(last_v), out + middle, kStream);
    StoreRegister(d, FromFloats<T>(w), second_out + i, kStreamSecond);
    StoreRegister(d, FromFloats<T>(last_w), second_out + middle, kStreamSecond);
  } else {
    const hn::ScalableTag<Stored<T>> d;
    const auto w = Apply<T>(second, LoadOperand(d, in, i)...);
    const auto v = Apply<T>(kernel, LoadOperand(d, in, i)...);
    StoreRegister(d, v, out + i, kStream);
    StoreRegister(d, w, second_out + i, kStreamSecond);
  }
}

/// Maps the whole registers of both outputs from `i` on; returns the end position.
template <class T, bool kStream, bool kStreamSecond, class Kernel, class Second, class... In>
HWY_INLINE size_t MapTwoRegisters(const Kernel& kernel, const Second& second, size_t i, size_t n, Stored<T>* out,
                                  Stored<T>* second_out, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  const size_t lanes = hn::Lanes(d);
  [[maybe_unused]] const int64_t ahead = kStream ? CurrentTuning().elementwise_prefetch_bytes : 0;
  for (; i + lanes <= n; i += lanes) {
    if constexpr (kStream) (FetchAhead(in, i, ahead), ...);
    MapTwoRegister<T, kStream, kStreamSecond>(kernel, second, i, out, second_out, in...);
  }
  return i;
}

/// MapTwo for the n elements from `i` on, at most one register.
template <class T, class Kernel, class Second, class... In>
HWY_INLINE void MapTwoTail(const Kernel& kernel, const Second& second, size_t i, size_t n, Stored<T>* out,
                           Stored<T>* second_out, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  const auto v = Apply<T>(kernel, LoadOperandTail(d, in, i, n)...);
  const auto w = Apply<T>(second, LoadOperandTail(d, in, i, n)...);
  StoreTail(d, v, out + i, n);
  StoreTail(d, w, second_out + i, n);
}

/// Map with a second output: second_out[i] = second(in[i]...). It may be one of the inputs, too. Common computations of
/// both kernels are done once where they are inlined.
template <class T, class Kernel, class Second, class... In>
HWY_INLINE void MapTwo(const Kernel& kernel, const Second& second, size_t n, bool non_temporal, Stored<T>* out,
                       Stored<T>* second_out, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  size_t i = 0;
  if (HWY_TARGET != HWY_EMU128 && non_temporal) {
    const size_t head = ElementsToAligned(d, out);
    if (head < n) {
      if (head != 0) MapTwoTail<T>(kernel, second, 0, head, out, second_out, in...);
      i = ElementsToAligned(d, second_out + head) == 0
              ? MapTwoRegisters<T, true, true>(kernel, second, head, n, out, second_out, in...)
              : MapTwoRegisters<T, true, false>(kernel, second, head, n, out, second_out, in...);
    }
  }
  i = MapTwoRegisters<T, false, false>(kernel, second, i, n, out, second_out, in...);
  if (i < n) MapTwoTail<T>(kernel, second, i, n - i, out, second_out, in...);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
