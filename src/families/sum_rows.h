// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of a row in float64, with states in registers. Included once per target.

#if defined(PORTACL_FAMILIES_SUM_ROWS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_FAMILIES_SUM_ROWS_H_
#undef PORTACL_FAMILIES_SUM_ROWS_H_
#else
#define PORTACL_FAMILIES_SUM_ROWS_H_
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "families/sum_elements.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "simd/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kLineBytes = 64;

// Prefetches as many bytes at this distance as the loop now reads, because sums are faster than the prefetching of some
// machines. The target is the second-level cache: with the first-level cache, sums of 64 MiB took 1.3 times as long on
// a machine that prefetches by itself. Only every second line is prefetched, as its neighbour comes with it: with both,
// sums took 1.09 times as long.
HWY_INLINE void FetchAhead(const void* in, size_t bytes, size_t distance) {
  const char* const at = static_cast<const char*>(in) + distance;
  for (size_t line = 0; line < bytes; line += 2 * kLineBytes)
    simd::PrefetchSecond(reinterpret_cast<const std::byte*>(at + line));
}

struct Plus {
  static constexpr double kStart = 0;
  // a + b. Where multiply-add has execution units of its own, it leaves those for additions free for widening.
  template <class V>
  static HWY_INLINE V Join(V a, V b) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    return hn::MulAdd(b, hn::Set(hn::DFromV<V>(), 1.0), a);
#else
    return hn::Add(a, b);
#endif
  }
  static HWY_INLINE double Join(double a, double b) { return a + b; }
};
struct Times {
  static constexpr double kStart = 1;
  template <class V>
  static HWY_INLINE V Join(V a, V b) {
    return hn::Mul(a, b);
  }
  static HWY_INLINE double Join(double a, double b) { return a * b; }
};

// Joins two registers of elements with each other before the state, so that the state waits only once.
template <class Operation, class T>
HWY_INLINE DoubleVector JoinTwo(DoubleVector state, const T* a, const T* b) {
  return Operation::Join(state, Operation::Join(LoadWidened(a), LoadWidened(b)));
}
template <class Operation, class T>
HWY_INLINE DoubleVector JoinTwo(DoubleVector state, const SquareOf<T>* a, const SquareOf<T>* b) {
  const auto x = LoadWidened(&a->value);
  const auto y = LoadWidened(&b->value);
  return Operation::Join(state, hn::MulAdd(x, x, hn::Mul(y, y)));  // squares are exact, so fusing makes no difference
}
// Adds what is no NaN. On AVX-512, a condition makes this one instruction; it compares the floats for a register of
// states, which are half a register: rows of 1024 take 0.9 times as long. Elsewhere, 0 is added for NaN, which keeps
// the bits of a state: as states start at 0, none is -0.
template <class Operation>
HWY_INLINE DoubleVector JoinNumbers(DoubleVector state, const NumberOf<float>* in) {
#if HWY_TARGET == HWY_AVX3
  const auto floats = hn::LoadU(hn::Rebind<float, Doubles>(), &in->value);
  const hn::Mask<Doubles> are_numbers{hn::Eq(floats, floats).raw};
  return hn::IfThenElse(are_numbers, Operation::Join(state, LoadWidened(&in->value)), state);
#else
  return Operation::Join(state, LoadWidened(in));
#endif
}
template <class Operation>
HWY_INLINE DoubleVector JoinTwo(DoubleVector state, const NumberOf<float>* a, const NumberOf<float>* b) {
  return JoinNumbers<Operation>(JoinNumbers<Operation>(state, a), b);
}

// Joins the elements [0, n) to the states, where n is a multiple of kStates. Four registers of states are handled at a
// time, so that they stay in registers; if registers are too narrow for all states, in blocks that the first-level
// cache holds. join(i, end, states...) must join the elements of these states, starting at i, with stride kStates,
// before `end`.
template <class Join>
HWY_INLINE void WithStates(size_t n, double* states, const Join& join) {
  constexpr size_t kBlock = 2048;
  const Doubles d;
  const size_t step = hn::Lanes(d);
  for (size_t begin = 0; begin < n; begin += kBlock) {
    for (size_t at = 0; at < kStates; at += 4 * step) {
      auto a = hn::LoadU(d, states + at);
      auto b = hn::LoadU(d, states + at + step);
      auto c = hn::LoadU(d, states + at + 2 * step);
      auto e = hn::LoadU(d, states + at + 3 * step);
      join(begin + at, std::min(n, begin + kBlock), a, b, c, e);
      hn::StoreU(a, d, states + at);
      hn::StoreU(b, d, states + at + step);
      hn::StoreU(c, d, states + at + 2 * step);
      hn::StoreU(e, d, states + at + 3 * step);
    }
  }
}

// The same if eight registers hold all states: nothing is read twice, and a single stream is prefetched. A state
// register is initialised by start(index of its first state); the results are passed to end(states...).
template <class Operation, class T, class Start, class End>
HWY_INLINE void JoinWhole(const T* in, size_t n, size_t ahead, const Start& start, const End& end) {
  constexpr size_t kStep = kStates / 8;
  auto a = start(0);
  auto b = start(kStep);
  auto c = start(2 * kStep);
  auto e = start(3 * kStep);
  auto f = start(4 * kStep);
  auto g = start(5 * kStep);
  auto h = start(6 * kStep);
  auto k = start(7 * kStep);
  const auto join_all = [&](const auto& join) HWY_ATTR {
    a = join(a, 0);
    b = join(b, kStep);
    c = join(c, 2 * kStep);
    e = join(e, 3 * kStep);
    f = join(f, 4 * kStep);
    g = join(g, 5 * kStep);
    h = join(h, 6 * kStep);
    k = join(k, 7 * kStep);
  };
  size_t i = 0;
  for (; i + kStates < n; i += 2 * kStates) {
    const T* const first = in + i;
    FetchAhead(first, 2 * kStates * sizeof(T), ahead);
    join_all([=](DoubleVector state, size_t at)
                 HWY_ATTR { return JoinTwo<Operation>(state, first + at, first + kStates + at); });
  }
  if (i < n)
    join_all([=](DoubleVector state, size_t at) HWY_ATTR { return Operation::Join(state, LoadWidened(in + i + at)); });
  end(a, b, c, e, f, g, h, k);
}
template <class Operation, class T>
HWY_INLINE void JoinWhole(const T* in, size_t n, size_t ahead, double* states) {
  const Doubles d;
  constexpr size_t kStep = kStates / 8;
  const auto store = [=](DoubleVector a, DoubleVector b, DoubleVector c, DoubleVector e, size_t at) HWY_ATTR {
    hn::StoreU(a, d, states + at);
    hn::StoreU(b, d, states + at + kStep);
    hn::StoreU(c, d, states + at + 2 * kStep);
    hn::StoreU(e, d, states + at + 3 * kStep);
  };
  JoinWhole<Operation>(
      in, n, ahead, [=](size_t at) HWY_ATTR { return hn::LoadU(d, states + at); },
      [&](DoubleVector a, DoubleVector b, DoubleVector c, DoubleVector e, DoubleVector f, DoubleVector g,
          DoubleVector h, DoubleVector k) HWY_ATTR {
        store(a, b, c, e, 0);
        store(f, g, h, k, kStates / 2);
      });
}

// Whether rows are joined by JoinWhole.
constexpr bool kJoinsWhole = HWY_TARGET == HWY_AVX2;

// FoldedRow for a multiple of kStates elements, with no state in memory: rows of 1024 take 0.87 times as long.
template <class Operation, class T>
HWY_INLINE double FoldedWhole(const T* in, size_t n, size_t ahead) {
  const hn::Half<Doubles> half;
  double result = Operation::kStart;
  JoinWhole<Operation>(
      in, n, ahead, [](size_t) HWY_ATTR { return hn::Set(Doubles(), Operation::kStart); },
      [&](DoubleVector a, DoubleVector b, DoubleVector c, DoubleVector e, DoubleVector f, DoubleVector g,
          DoubleVector h, DoubleVector k) HWY_ATTR {  // the same tree as in Folded
        const auto even = Operation::Join(Operation::Join(a, f), Operation::Join(c, h));
        const auto odd = Operation::Join(Operation::Join(b, g), Operation::Join(e, k));
        const auto all = Operation::Join(even, odd);
        const auto pair = Operation::Join(hn::LowerHalf(half, all), hn::UpperHalf(half, all));
        result = hn::GetLane(Operation::Join(pair, hn::Reverse2(half, pair)));
      });
  return result;
}

template <class Operation, class T>
HWY_INLINE void JoinBlocks(const T* in, size_t n, size_t ahead, double* states) {
  if constexpr (kJoinsWhole) return JoinWhole<Operation>(in, n, ahead, states);
  const size_t step = hn::Lanes(Doubles());
  WithStates(n, states, [=](size_t i, size_t end, auto& a, auto& b, auto& c, auto& e) HWY_ATTR {
    for (; i + kStates < end; i += 2 * kStates) {
      const T* const first = in + i;
      const T* const second = first + kStates;
      FetchAhead(first, 4 * step * sizeof(T), ahead);
      FetchAhead(second, 4 * step * sizeof(T), ahead);
      a = JoinTwo<Operation>(a, first, second);
      b = JoinTwo<Operation>(b, first + step, second + step);
      c = JoinTwo<Operation>(c, first + 2 * step, second + 2 * step);
      e = JoinTwo<Operation>(e, first + 3 * step, second + 3 * step);
    }
    if (i >= end) return;
    a = Operation::Join(a, LoadWidened(in + i));
    b = Operation::Join(b, LoadWidened(in + i + step));
    c = Operation::Join(c, LoadWidened(in + i + 2 * step));
    e = Operation::Join(e, LoadWidened(in + i + 3 * step));
  });
}

// The sum of four rows of 16-bit elements, two registers of states wide; each four elements are added as floats.
using Floats = hn::Repartition<float, Doubles>;
template <class T>
HWY_INLINE hn::Vec<Floats> SumOfFour(const T* a, const T* b, const T* c, const T* e) {
  const Floats df;
  return hn::Add(hn::Add(LoadFloats(df, a), LoadFloats(df, b)), hn::Add(LoadFloats(df, c), LoadFloats(df, e)));
}

// The same for the elements at even, or at odd positions among twice as many contiguous elements, and for those that
// follow at distances of kStates.
template <bool kOdd, class T>
HWY_INLINE hn::Vec<Floats> SumOfFourOfPairs(const T* in) {
  const Floats df;
  return hn::Add(hn::Add(EverySecond<kOdd>(df, in), EverySecond<kOdd>(df, in + kStates)),
                 hn::Add(EverySecond<kOdd>(df, in + 2 * kStates), EverySecond<kOdd>(df, in + 3 * kStates)));
}

// JoinBlocks for a multiple of 4 * kStates elements of 16 bits; groups of four elements of a state are added as floats.
template <class T>
HWY_INLINE void SumGroups(const T* in, size_t n, size_t ahead, double* states) {
  const Doubles d;
  const hn::Half<Floats> half;
  const size_t step = hn::Lanes(d);
  WithStates(n, states, [=](size_t i, size_t end, auto& a, auto& b, auto& c, auto& e) HWY_ATTR {
    const auto add = [&](auto group) HWY_ATTR {
      for (; i < end; i += 4 * kStates) {
        FetchAhead(in + i, 4 * kStates * sizeof(T), ahead);
        const auto first = group(std::false_type(), in + i);
        const auto second = group(std::true_type(), in + i);
        a = Plus::Join(a, hn::PromoteTo(d, hn::LowerHalf(half, first)));
        b = Plus::Join(b, hn::PromoteTo(d, hn::UpperHalf(half, first)));
        c = Plus::Join(c, hn::PromoteTo(d, hn::LowerHalf(half, second)));
        e = Plus::Join(e, hn::PromoteTo(d, hn::UpperHalf(half, second)));
      }
    };
    if constexpr (kComesInPairs<T>) {
      // The first half of the states takes elements at even positions, which need only a shift.
      const size_t state = i % kStates;
      i -= state;
      const size_t at = 2 * (state % (kStates / 2));
      const size_t next = 2 * ((state + 2 * step) % (kStates / 2));
      if (state + 2 * step < kStates / 2) {
        add([=](auto is_second, const T* from)
                HWY_ATTR { return SumOfFourOfPairs<false>(from + (is_second ? next : at)); });
      } else if (state >= kStates / 2) {
        add([=](auto is_second, const T* from)
                HWY_ATTR { return SumOfFourOfPairs<true>(from + (is_second ? next : at)); });
      } else {
        add([=](auto is_second, const T* from) HWY_ATTR { return SumOfFourOfPairs<is_second>(from); });
      }
    } else {
      add([=](auto is_second, const T* from) HWY_ATTR {
        const T* const at = from + (is_second ? 2 * step : 0);
        return SumOfFour(at, at + kStates, at + 2 * kStates, at + 3 * kStates);
      });
    }
  });
}

// The sum or the product of all states.
template <class Operation>
HWY_INLINE double Folded(double* states) {
  const Doubles d;
  const size_t step = hn::Lanes(d);
  size_t half = kStates / 2;
  if (step >= 4) {  // in registers; the last one is then read as doubles
    const auto joined = [=](size_t at) HWY_ATTR {
      return Operation::Join(hn::LoadU(d, states + at), hn::LoadU(d, states + kStates / 2 + at));
    };
    auto first = Operation::Join(joined(0), joined(kStates / 4));
    if (step == 4) first = Operation::Join(first, Operation::Join(joined(4), joined(kStates / 4 + 4)));
    hn::StoreU(first, d, states);
    half = step / 2;
  }
  for (; half >= step; half /= 2) {
    for (size_t at = 0; at < half; at += step)
      hn::StoreU(Operation::Join(hn::LoadU(d, states + at), hn::LoadU(d, states + half + at)), d, states + at);
  }
  for (; half > 0; half /= 2) {
    for (size_t at = 0; at < half; ++at) states[at] = Operation::Join(states[at], states[at + half]);
  }
  return states[0];
}

// Reduces a row of at least kStates / 2 elements. With `grouped`, groups of four 16-bit elements are added as floats.
// `ahead` is the prefetch distance.
template <class Operation, class T>
HWY_INLINE double FoldedRow(const T* in, size_t columns, bool grouped, size_t ahead) {
  if constexpr (kJoinsWhole) {
    if (columns % kStates == 0 && !(kIsNarrow<T> && grouped)) return FoldedWhole<Operation>(in, columns, ahead);
  }
  const Doubles d;
  const size_t step = hn::Lanes(d);
  HWY_ALIGN double states[kStates];
  // Stores whole registers: loading a register right after its elements were stored one by one would have to wait.
  for (size_t at = 0; at < kStates; at += step) hn::StoreU(hn::Set(d, Operation::kStart), d, states + at);
  const size_t whole = columns - columns % kStates;
  size_t i = 0;
  if constexpr (kIsNarrow<T>) {
    if (grouped) {
      i = columns - columns % (4 * kStates);
      SumGroups(in, i, ahead, states);
    }
  }
  JoinBlocks<Operation>(in + i, whole - i, ahead, states);
  double* state = states;
  for (i = whole; i + step <= columns; i += step, state += step)
    hn::StoreU(Operation::Join(hn::LoadU(d, state), LoadWidened(in + i)), d, state);
  if (i < columns) {
    T rest[kStates / 4] = {};
    std::copy(in + i, in + columns, rest);
    const auto elements = hn::IfThenElse(hn::FirstN(d, columns - i), LoadWidened(rest), hn::Set(d, Operation::kStart));
    hn::StoreU(Operation::Join(hn::LoadU(d, state), elements), d, state);
  }
  return Folded<Operation>(states);
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
