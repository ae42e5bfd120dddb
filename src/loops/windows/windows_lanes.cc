// SPDX-License-Identifier: Apache-2.0
//
// Plain loops that the compiler vectorises, once for each instruction set.
#include "loops/windows/windows_lanes.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/windows/windows_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::windows::HWY_NAMESPACE {

template <class T>
struct Largest {
  using Element = T;
  using State = T;
  // Branch-free, so that the compiler vectorises it.
  static HWY_INLINE T Join(T m, T x) { return static_cast<bool>((x > m) | (x != x)) ? x : m; }
};
struct Sum {
  using Element = float;
  using State = double;
  static HWY_INLINE double Join(double m, double x) { return m + x; }
};

template <class Op>
HWY_ATTR void JoinRows(const void* const* row, int64_t count, bool adds, void* to, int64_t n) {
  using State = typename Op::State;
  const auto* const* const rows = reinterpret_cast<const typename Op::Element* const*>(row);
  auto* const __restrict states = static_cast<State*>(to);
  const auto* const a = rows[0];
  int64_t done = adds ? 0 : std::min<int64_t>(count, 3);
  if (done == 0) {
  } else if (done == 1) {
    for (int64_t i = 0; i < n; ++i) states[i] = static_cast<State>(a[i]);
  } else if (done == 2) {
    const auto* const b = rows[1];
    for (int64_t i = 0; i < n; ++i) states[i] = Op::Join(static_cast<State>(a[i]), static_cast<State>(b[i]));
  } else {
    const auto *const b = rows[1], *const c = rows[2];
    for (int64_t i = 0; i < n; ++i) {
      const State two = Op::Join(static_cast<State>(a[i]), static_cast<State>(b[i]));
      states[i] = Op::Join(two, static_cast<State>(c[i]));
    }
  }
  for (; done < count; ++done) {
    const auto* const next = rows[done];
    for (int64_t i = 0; i < n; ++i) states[i] = Op::Join(states[i], static_cast<State>(next[i]));
  }
}

// Computes n results, each from `kernel` states that are `step` apart. The first states of neighbouring results are
// kStride apart or, if that is 0, `stride`.
template <class Op, int kStride>
HWY_ATTR HWY_INLINE void JoinNeighbours(const typename Op::State* states, int64_t n, int64_t stride, int64_t kernel,
                                        int64_t step, typename Op::State* __restrict results) {
  using State = typename Op::State;
  if constexpr (kStride != 0) stride = kStride;
  const State *const b = states + step, *const c = b + step;
  int64_t done = std::min<int64_t>(kernel, 3);
  if (done == 1) {
    for (int64_t i = 0; i < n; ++i) results[i] = states[i * stride];
  } else if (done == 2) {
    for (int64_t i = 0; i < n; ++i) results[i] = Op::Join(states[i * stride], b[i * stride]);
  } else {
    for (int64_t i = 0; i < n; ++i) results[i] = Op::Join(Op::Join(states[i * stride], b[i * stride]), c[i * stride]);
  }
  for (; done < kernel; ++done) {
    const State* const next = states + done * step;
    for (int64_t i = 0; i < n; ++i) results[i] = Op::Join(results[i], next[i * stride]);
  }
}

template <class Op>
HWY_ATTR void SlideWindow(const WindowAxis& axis, int64_t lanes, const void* from, const void* empty, void* to) {
  using State = typename Op::State;
  const auto* const states = static_cast<const State*>(from);
  auto* const results = static_cast<State*>(to);
  const auto take_place = [&](int64_t place) HWY_ATTR {
    const WindowAxis::Range range = axis.Inside(place);
    State* const result = results + place * lanes;
    if (range.size() == 0)
      std::fill_n(result, lanes, *static_cast<const State*>(empty));
    else
      JoinNeighbours<Op, 1>(states + range.begin * lanes, lanes, 1, range.size(), lanes, result);
  };
  // The positions [begin, end) have whole windows.
  const int64_t begin = std::min(axis.places, (axis.before + axis.stride - 1) / axis.stride);
  const int64_t last = axis.size + axis.before - axis.kernel;
  const int64_t end = last < 0 ? begin : std::clamp(last / axis.stride + 1, begin, axis.places);
  for (int64_t place = 0; place < begin; ++place) take_place(place);
  const State* const first = states + (begin * axis.stride - axis.before) * lanes;
  State* const result = results + begin * lanes;
  if (begin == end) {
  } else if (axis.stride == 1) {
    JoinNeighbours<Op, 1>(first, (end - begin) * lanes, 1, axis.kernel, lanes, result);
  } else if (lanes > 1) {
    for (int64_t i = 0; i < end - begin; ++i)
      JoinNeighbours<Op, 1>(first + i * axis.stride * lanes, lanes, 1, axis.kernel, lanes, result + i * lanes);
  } else if (axis.stride == 2) {
    JoinNeighbours<Op, 2>(first, end - begin, 2, axis.kernel, 1, result);
  } else {
    JoinNeighbours<Op, 0>(first, end - begin, axis.stride, axis.kernel, 1, result);
  }
  for (int64_t place = end; place < axis.places; ++place) take_place(place);
}

template <class T>
HWY_ATTR void FinishLargest(int64_t places, int64_t lanes, double, const double*, void* results) {
  auto* const values = static_cast<T*>(results);
  for (int64_t i = 0; i < places * lanes; ++i) values[i] += 0;
}

// Returns the default NaN, because which of several NaN a sum keeps depends on the order of its operands.
HWY_INLINE double Mean(double sum, double count) {
  return sum == sum ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

HWY_ATTR void FinishMean(int64_t places, int64_t lanes, double rows, const double* counts, void* results) {
  auto* const __restrict values = static_cast<double*>(results);
  if (lanes == 1) {
    for (int64_t i = 0; i < places; ++i) values[i] = Mean(values[i], rows * counts[i]);
    return;
  }
  for (int64_t place = 0; place < places; ++place) {
    const double count = rows * counts[place];
    for (int64_t i = 0; i < lanes; ++i) values[place * lanes + i] = Mean(values[place * lanes + i], count);
  }
}

const WindowLanes& FindWindowLanes(WindowKind kind) {
  static constexpr WindowLanes kLanes[] = {
      {JoinRows<Largest<float>>, SlideWindow<Largest<float>>, FinishLargest<float>},
      {JoinRows<Largest<int64_t>>, SlideWindow<Largest<int64_t>>, FinishLargest<int64_t>},
      {JoinRows<Sum>, SlideWindow<Sum>, FinishMean}};
  return kLanes[static_cast<size_t>(kind)];
}

}  // namespace portacl::loops::windows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::windows, WindowLanesOf, (WindowKind kind, int64_t target), FindWindowLanes, kind)
