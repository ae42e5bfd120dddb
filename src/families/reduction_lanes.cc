// SPDX-License-Identifier: Apache-2.0
#include "families/reduction_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "families/reduction_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"

#ifndef PORTACL_FAMILIES_REDUCTION_LANES_ONCE
#define PORTACL_FAMILIES_REDUCTION_LANES_ONCE

namespace portacl::families {

using loops::reductions::ReduceTile;

template <class T>
T* Plane(const ReduceTile& tile, int plane) {
  return reinterpret_cast<T*>(tile.planes[plane]);
}
template <class T>
const T* RowOf(const ReduceTile& tile, int64_t row) {
  return reinterpret_cast<const T*>(tile.in + row * tile.row_stride);
}

}  // namespace portacl::families
#endif

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {

// One-line loops that the compiler vectorises. A row has kStates states, as the compiler may not reorder sums.
constexpr int64_t kStates = 32;

// These classes compute the value that is added for an element.
struct Itself {
  explicit Itself(const void*) {}
  template <class T>
  HWY_INLINE T operator()(T x) const {
    return x;
  }
};
struct OrZero {
  explicit OrZero(const void*) {}
  HWY_INLINE double operator()(double x) const { return x == x ? x : 0; }
};
struct Counted {
  explicit Counted(const void*) {}
  HWY_INLINE double operator()(float x) const { return x == 0 ? 0.0 : 1.0; }
};

struct Plus {
  template <class S>
  static constexpr S kStart = 0;
  template <class S>
  static HWY_INLINE S Join(S a, S b) {
    return a + b;
  }
};
struct Times {
  template <class S>
  static constexpr S kStart = 1;
  template <class S>
  static HWY_INLINE S Join(S a, S b) {
    return a * b;
  }
};

// Integers wrap modulo 2^64.
template <class T>
using StateOf = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, double>;

// Prefetches as many bytes at this distance as the loop now reads.
HWY_INLINE void FetchAhead(const void* in, size_t bytes, int64_t distance) {
  if (distance == 0) return;
  for (size_t line = 0; line < bytes; line += 64)
    __builtin_prefetch(static_cast<const char*>(in) + distance + line, 0, 2);
}

template <class T, class Operation, class Map>
void FoldRows(const ReduceTile& tile) {
  using S = StateOf<T>;
  const Map map(tile.parameters);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    S state[kStates];
    for (int64_t j = 0; j < kStates; ++j) state[j] = Operation::template kStart<S>;
    int64_t i = 0;
    for (; i + kStates <= tile.columns; i += kStates) {
      FetchAhead(in + i, kStates * sizeof(T), tile.prefetch_bytes);
      for (int64_t j = 0; j < kStates; ++j)
        state[j] = Operation::template Join<S>(state[j], static_cast<S>(map(in[i + j])));
    }
    S last = Operation::template kStart<S>;
    for (; i < tile.columns; ++i) last = Operation::template Join<S>(last, static_cast<S>(map(in[i])));
    if (tile.columns >= kStates) {
      for (int64_t half = kStates / 2; half > 0; half /= 2) {
        for (int64_t j = 0; j < half; ++j) state[j] = Operation::template Join<S>(state[j], state[j + half]);
      }
      last = Operation::template Join<S>(state[0], last);
    }
    S& to = Plane<S>(tile, 0)[row];
    to = Operation::template Join<S>(to, last);
  }
}

template <class T, class Operation, class Map>
void FoldColumns(const ReduceTile& tile) {
  using S = StateOf<T>;
  const Map map(tile.parameters);
  S* const HWY_RESTRICT state = Plane<S>(tile, 0);
  const auto join = [](S a, S b) HWY_ATTR { return Operation::template Join<S>(a, b); };
  int64_t row = 0;
  for (; row + 4 <= tile.rows; row += 4) {
    const T* const a = RowOf<T>(tile, row);
    const T* const b = RowOf<T>(tile, row + 1);
    const T* const c = RowOf<T>(tile, row + 2);
    const T* const e = RowOf<T>(tile, row + 3);
    for (int64_t i = 0; i < tile.columns; ++i) {
      const S first = join(static_cast<S>(map(a[i])), static_cast<S>(map(b[i])));
      const S second = join(static_cast<S>(map(c[i])), static_cast<S>(map(e[i])));
      state[i] = join(state[i], join(first, second));
    }
  }
  for (; row < tile.rows; ++row) {
    const T* const a = RowOf<T>(tile, row);
    for (int64_t i = 0; i < tile.columns; ++i) state[i] = join(state[i], static_cast<S>(map(a[i])));
  }
}

// Adds x to `sum`, and the rounding error of that to `rest`.
HWY_INLINE void AddExactly(double x, double& sum, double& rest) {
  const double total = sum + x;
  const double added = total - sum;
  rest += (sum - (total - added)) + (x - added);
  sum = total;
}

template <class Map>
void SumDoubleRows(const ReduceTile& tile) {
  const Map map(tile.parameters);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const double* const in = RowOf<double>(tile, row);
    double& sum = Plane<double>(tile, 0)[row];
    double& rest = Plane<double>(tile, 1)[row];
    int64_t i = 0;
    if (tile.columns >= kStates) {
      double sums[kStates] = {};
      double rests[kStates] = {};
      for (; i + kStates <= tile.columns; i += kStates) {
        for (int64_t j = 0; j < kStates; ++j) AddExactly(map(in[i + j]), sums[j], rests[j]);
      }
      for (int64_t j = 0; j < kStates; ++j) {
        AddExactly(sums[j], sum, rest);
        rest += rests[j];
      }
    }
    for (; i < tile.columns; ++i) AddExactly(map(in[i]), sum, rest);
  }
}

template <class Map>
void SumDoubleColumns(const ReduceTile& tile) {
  const Map map(tile.parameters);
  double* const HWY_RESTRICT sum = Plane<double>(tile, 0);
  double* const HWY_RESTRICT rest = Plane<double>(tile, 1);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const double* const in = RowOf<double>(tile, row);
    for (int64_t i = 0; i < tile.columns; ++i) {
      const double x = map(in[i]);
      const double total = sum[i] + x;
      const double added = total - sum[i];
      rest[i] += (sum[i] - (total - added)) + (x - added);
      sum[i] = total;
    }
  }
}

struct Greater {
  template <class T>
  static HWY_INLINE bool Wins(T x, T y) {
    return x > y;
  }
};
struct Less {
  template <class T>
  static HWY_INLINE bool Wins(T x, T y) {
    return x < y;
  }
};
struct Plain {
  template <class T>
  static HWY_INLINE T Of(T x) {
    return x;
  }
};
struct OfMagnitude {
  static HWY_INLINE float Of(float x) { return std::abs(x); }
};
struct Truth {
  static HWY_INLINE float Of(float x) { return x == 0 ? 0.0F : 1.0F; }
};

// The winner of both; NaN if either is NaN. There are two selections, as GCC does not vectorise a condition with an or.
template <class Order, class T>
HWY_INLINE T Winner(T x, T y) {
  const T winner = Order::Wins(x, y) ? x : y;
  return x != x ? x : winner;
}

// The winner does not depend on the order. With this many states, GCC vectorises loops instead of unrolling them first.
constexpr int64_t kWinners = 64;

template <class T, class Order, class Map>
void WinnerRows(const ReduceTile& tile) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    T winner = Plane<T>(tile, 0)[row];
    int64_t i = 0;
    if (tile.columns >= kWinners) {
      T state[kWinners];
      for (int64_t j = 0; j < kWinners; ++j) state[j] = winner;
      for (; i + kWinners <= tile.columns; i += kWinners) {
        FetchAhead(in + i, kWinners * sizeof(T), tile.prefetch_bytes);
        for (int64_t j = 0; j < kWinners; ++j) state[j] = Winner<Order>(Map::Of(in[i + j]), state[j]);
      }
      for (int64_t half = kWinners / 2; half > 0; half /= 2) {
        for (int64_t j = 0; j < half; ++j) state[j] = Winner<Order>(state[j], state[j + half]);
      }
      winner = Winner<Order>(state[0], winner);
    }
    for (; i < tile.columns; ++i) winner = Winner<Order>(Map::Of(in[i]), winner);
    Plane<T>(tile, 0)[row] = winner;
  }
}

template <class T, class Order, class Map>
void WinnerColumns(const ReduceTile& tile) {
  T* const HWY_RESTRICT state = Plane<T>(tile, 0);
  const auto wins = [](T x, T before) HWY_ATTR { return Winner<Order>(static_cast<T>(Map::Of(x)), before); };
  int64_t row = 0;
  for (; row + 4 <= tile.rows; row += 4) {
    const T* const a = RowOf<T>(tile, row);
    const T* const b = RowOf<T>(tile, row + 1);
    const T* const c = RowOf<T>(tile, row + 2);
    const T* const e = RowOf<T>(tile, row + 3);
    for (int64_t i = 0; i < tile.columns; ++i) state[i] = wins(e[i], wins(c[i], wins(b[i], wins(a[i], state[i]))));
  }
  for (; row < tile.rows; ++row) {
    const T* const in = RowOf<T>(tile, row);
    for (int64_t i = 0; i < tile.columns; ++i) state[i] = wins(in[i], state[i]);
  }
}

// Whether x replaces the state, which came first.
template <class Order, class T>
HWY_INLINE bool Displaces(T x, T state) {
  return Order::Wins(x, state) || (x != x && state == state);
}

// Finds the winner of a row first, then its position.
template <class T, class Order>
void PlaceRows(const ReduceTile& tile) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    T winner = Plane<T>(tile, 0)[row];
    ReduceTile one = tile;
    one.rows = 1;
    one.in = tile.in + row * tile.row_stride;
    one.planes[0] = reinterpret_cast<std::byte*>(&winner);
    WinnerRows<T, Order, Plain>(one);
    T& state = Plane<T>(tile, 0)[row];
    if (!Displaces<Order>(winner, state)) continue;
    const T* const in = RowOf<T>(tile, row);
    int64_t at = 0;
    if (winner == winner) {
      while (in[at] != winner) ++at;
    } else {
      while (in[at] == in[at]) ++at;
    }
    state = winner;
    Plane<int64_t>(tile, 1)[row] = tile.first + at;
  }
}

// Handles several rows at a time, so that states are loaded and stored once for all of them.
template <int kRows, class T, class Order>
HWY_INLINE void PlaceSomeRows(const ReduceTile& tile, int64_t row) {
  using Step = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  T* const HWY_RESTRICT state = Plane<T>(tile, 0);
  int64_t* const HWY_RESTRICT place = Plane<int64_t>(tile, 1);
  const T* in[kRows];
  for (int r = 0; r < kRows; ++r) in[r] = RowOf<T>(tile, row + r);
  for (int64_t i = 0; i < tile.columns; ++i) {
    T winner = state[i];
    Step at = -1;
    for (int r = 0; r < kRows; ++r) {
      const bool displaces = Displaces<Order>(in[r][i], winner);
      winner = displaces ? in[r][i] : winner;
      at = displaces ? r : at;
    }
    state[i] = winner;
    place[i] = at < 0 ? place[i] : tile.first + row + at;
  }
}

template <class T, class Order>
void PlaceColumns(const ReduceTile& tile) {
  int64_t row = 0;
  for (; row + 4 <= tile.rows; row += 4) PlaceSomeRows<4, T, Order>(tile, row);
  for (; row < tile.rows; ++row) PlaceSomeRows<1, T, Order>(tile, row);
}

template <class T, class Operation, class Map>
constexpr AddFunctions Fold() {
  return {FoldRows<T, Operation, Map>, FoldColumns<T, Operation, Map>};
}
template <class T, class Order, class Map>
constexpr AddFunctions Extreme() {
  return {WinnerRows<T, Order, Map>, WinnerColumns<T, Order, Map>};
}

AddFunctions OfFloat(Reduction reduction) {
  switch (reduction) {
    case Reduction::kNonZero:
      return Fold<float, Plus, Counted>();
    case Reduction::kMaximum:
      return Extreme<float, Greater, Plain>();
    case Reduction::kMinimum:
      return Extreme<float, Less, Plain>();
    case Reduction::kLargestMagnitude:
      return Extreme<float, Greater, OfMagnitude>();
    case Reduction::kSmallestMagnitude:
      return Extreme<float, Less, OfMagnitude>();
    case Reduction::kAllTrue:
      return Extreme<float, Less, Truth>();
    case Reduction::kAnyTrue:
      return Extreme<float, Greater, Truth>();
    case Reduction::kFirstMaximum:
      return {PlaceRows<float, Greater>, PlaceColumns<float, Greater>};
    default:
      return {PlaceRows<float, Less>, PlaceColumns<float, Less>};
  }
}

AddFunctions OfDouble(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSumOfNumbers:
      return {SumDoubleRows<OrZero>, SumDoubleColumns<OrZero>};
    case Reduction::kProduct:
      return Fold<double, Times, Itself>();
    case Reduction::kMaximum:
      return Extreme<double, Greater, Plain>();
    case Reduction::kMinimum:
      return Extreme<double, Less, Plain>();
    case Reduction::kFirstMaximum:
      return {PlaceRows<double, Greater>, PlaceColumns<double, Greater>};
    default:
      return {PlaceRows<double, Less>, PlaceColumns<double, Less>};
  }
}

AddFunctions OfInteger(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kSumOfNumbers:
      return Fold<int64_t, Plus, Itself>();
    case Reduction::kProduct:
      return Fold<int64_t, Times, Itself>();
    case Reduction::kMaximum:
      return Extreme<int64_t, Greater, Plain>();
    case Reduction::kMinimum:
      return Extreme<int64_t, Less, Plain>();
    case Reduction::kFirstMaximum:
      return {PlaceRows<int64_t, Greater>, PlaceColumns<int64_t, Greater>};
    default:
      return {PlaceRows<int64_t, Less>, PlaceColumns<int64_t, Less>};
  }
}

AddFunctions FunctionsOf(Reduction reduction, aclDataType dtype) {
  return dtype == ACL_FLOAT ? OfFloat(reduction) : dtype == ACL_DOUBLE ? OfDouble(reduction) : OfInteger(reduction);
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::families, AddFunctionsOf, (Reduction reduction, aclDataType dtype, int64_t target),
                       FunctionsOf, reduction, dtype)
