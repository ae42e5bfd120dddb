// SPDX-License-Identifier: Apache-2.0
#include "loops/quantized/quantized_lanes.h"

#include <algorithm>
#include <cstring>

#include "loops/quantized/quantized_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/quantized/quantized_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/dispatch.h"
#include "simd/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::quantized::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A step, and its even half, consist of whole registers of this type.
using Lanes = hn::CappedTag<float, kQuantizedStep / 2>;
using Vector = hn::VFromD<Lanes>;

template <bool kInt4>
constexpr int64_t kStepBytes = kInt4 ? kQuantizedStep / 2 : kQuantizedStep;

constexpr int64_t kLine = 64;

// Calls f(i, weights) for each register of a step: its first weight is multiplied with element i of the other factor.
template <bool kInt4, class F>
HWY_INLINE void ForEachRegister(const std::byte* step, const F& f) {
  const Lanes d;
  const hn::RebindToSigned<Lanes> words;
  const hn::Rebind<int8_t, Lanes> bytes;
  const auto* const from = reinterpret_cast<const int8_t*>(step);
#pragma GCC unroll 8
  for (size_t i = 0; i < kStepBytes<kInt4>; i += hn::Lanes(d)) {
    const auto word = hn::PromoteTo(words, hn::LoadU(bytes, from + i));
    if constexpr (kInt4) {
      f(i, hn::ConvertTo(d, hn::ShiftRight<28>(hn::ShiftLeft<28>(word))));
      f(i + kQuantizedStep / 2, hn::ConvertTo(d, hn::ShiftRight<4>(word)));
    } else {
      f(i, hn::ConvertTo(d, word));
    }
  }
}

// Copies the last step of a column, which has `count` elements, and pads it with zeros.
template <bool kInt4>
HWY_INLINE void CopyTail(const std::byte* step, int64_t count, std::byte* buffer) {
  std::memset(buffer, 0, kStepBytes<kInt4>);
  std::memcpy(buffer, step, static_cast<size_t>(kInt4 ? (count + 1) / 2 : count));
}

#define PORTACL_EACH_ROW(X) X(0) X(1) X(2) X(3)

// Adds the products of `steps` steps with a common scale to the sums of the rows.
template <bool kInt4, bool kOffsets, int kRows>
HWY_INLINE void AddGroup(const std::byte* weights, int64_t steps, const float* x, int64_t x_stride, const float* scale,
                         const float* offset, Vector& sum0, Vector& sum1, Vector& sum2, Vector& sum3) {
  const Lanes d;
#define PORTACL_BEGIN(row) Vector part##row = hn::Zero(d);
  PORTACL_EACH_ROW(PORTACL_BEGIN)
#undef PORTACL_BEGIN
  for (; steps > 0; --steps, weights += kStepBytes<kInt4>, x += kQuantizedStep) {
    ForEachRegister<kInt4>(weights, [&](size_t i, auto w) HWY_ATTR {
      if constexpr (kOffsets) w = hn::Add(w, hn::Set(d, *offset));
#define PORTACL_ADD(row) \
  if constexpr ((row) < kRows) part##row = hn::MulAdd(w, hn::LoadU(d, x + (row) * x_stride + i), part##row);
      PORTACL_EACH_ROW(PORTACL_ADD)
#undef PORTACL_ADD
    });
  }
#define PORTACL_SCALE(row) \
  if constexpr ((row) < kRows) sum##row = hn::MulAdd(part##row, hn::Set(d, *scale), sum##row);
  PORTACL_EACH_ROW(PORTACL_SCALE)
#undef PORTACL_SCALE
}

// Adds the products of elements [first, end) of a column.
template <bool kInt4, bool kOffsets, int kRows>
HWY_INLINE void DotBlock(const QuantizedDot& dot, int64_t column, int64_t first, int64_t end, double* sums) {
  const Lanes d;
  const QuantizedColumns& columns = dot.columns;
  const int64_t steps_of_group = columns.group / kQuantizedStep, x_stride = dot.x_stride;
  const int64_t begin = first / kQuantizedStep;
  const std::byte* weights = columns.weights + column * columns.stride + begin * kStepBytes<kInt4>;
  const std::byte* const block_end = weights + (end - first) / kQuantizedStep * kStepBytes<kInt4>;
  for (const std::byte* line = weights; line < block_end; line += kLine)
    simd::PrefetchSecond(line + dot.prefetch_bytes);
  const float* x = dot.x + first;
  const int64_t group = begin / steps_of_group;
  const float* scale = columns.scales + column * columns.groups + group;
  const float* offset = kOffsets ? columns.offsets + column * columns.groups + group : scale;
#define PORTACL_BEGIN(row) Vector sum##row = hn::Zero(d);
  PORTACL_EACH_ROW(PORTACL_BEGIN)
#undef PORTACL_BEGIN
  int64_t steps = (end - first) / kQuantizedStep;
  if (steps_of_group == 1) {
    // A constant number of steps leaves nothing but arithmetic in this loop.
    for (; steps > 0; --steps, weights += kStepBytes<kInt4>, x += kQuantizedStep, ++scale, ++offset)
      AddGroup<kInt4, kOffsets, kRows>(weights, 1, x, x_stride, scale, offset, sum0, sum1, sum2, sum3);
  }
  int64_t left_in_group = steps_of_group - begin % steps_of_group;
  while (steps > 0) {
    const int64_t some = std::min(steps, left_in_group);
    AddGroup<kInt4, kOffsets, kRows>(weights, some, x, x_stride, scale, offset, sum0, sum1, sum2, sum3);
    weights += some * kStepBytes<kInt4>;
    x += some * kQuantizedStep;
    steps -= some;
    left_in_group -= some;
    if (left_in_group == 0) ++scale, ++offset, left_in_group = steps_of_group;
  }
  if (const int64_t tail = (end - first) % kQuantizedStep; tail != 0) {
    std::byte buffer[kQuantizedStep];
    CopyTail<kInt4>(weights, tail, buffer);
    AddGroup<kInt4, kOffsets, kRows>(buffer, 1, x, x_stride, scale, offset, sum0, sum1, sum2, sum3);
  }
#define PORTACL_SUM(row) \
  if constexpr ((row) < kRows) sums[row] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum##row)));
  PORTACL_EACH_ROW(PORTACL_SUM)
#undef PORTACL_SUM
}

template <bool kInt4, bool kOffsets, int kRows>
HWY_ATTR void Dot(const QuantizedDot& dot) {
  for (int64_t column = 0; column < dot.count; ++column) {
    double sums[kRows] = {};
    for (int64_t k = 0; k < dot.columns.depth; k += kQuantizedBlock)
      DotBlock<kInt4, kOffsets, kRows>(dot, column, k, std::min(k + kQuantizedBlock, dot.columns.depth), sums);
    for (int row = 0; row < kRows; ++row) dot.out[row * dot.count + column] = sums[row];
  }
}

template <bool kInt4, bool kOffsets>
HWY_INLINE void WidenStep(const std::byte* step, const float* scale, const float* offset, float* to) {
  const Lanes d;
  const Vector scales = hn::Set(d, *scale), offsets = hn::Set(d, *offset);
  ForEachRegister<kInt4>(step, [&](size_t i, auto w) HWY_ATTR {
    if constexpr (kOffsets) w = hn::Add(w, offsets);
    hn::StoreU(hn::Mul(w, scales), d, to + i);
  });
}

template <bool kInt4, bool kOffsets>
HWY_ATTR void Widen(const QuantizedColumns& columns, int64_t column, int64_t first, int64_t count, float* to) {
  const int64_t begin = first / kQuantizedStep, steps_of_group = columns.group / kQuantizedStep;
  const int64_t place = column * columns.groups + begin / steps_of_group;
  const std::byte* step = columns.weights + column * columns.stride + begin * kStepBytes<kInt4>;
  const float* scale = columns.scales + place;
  const float* offset = kOffsets ? columns.offsets + place : scale;
  int64_t left_in_group = steps_of_group - begin % steps_of_group;
  const int64_t left = std::min(count, columns.depth - first);
  for (int64_t steps = left / kQuantizedStep; steps > 0; --steps, step += kStepBytes<kInt4>, to += kQuantizedStep) {
    WidenStep<kInt4, kOffsets>(step, scale, offset, to);
    if (--left_in_group == 0) ++scale, ++offset, left_in_group = steps_of_group;
  }
  const int64_t tail = left % kQuantizedStep;
  if (tail == 0) return;
  std::byte buffer[kQuantizedStep];
  CopyTail<kInt4>(step, tail, buffer);
  WidenStep<kInt4, kOffsets>(buffer, scale, offset, to);
  for (int64_t i = tail; i < kQuantizedStep; ++i)
    to[kInt4 ? i / 2 + i % 2 * (kQuantizedStep / 2) : i] = 0;  // an offset would make the padding nonzero
}

template <bool kInt4, bool kOffsets>
HWY_ATTR QuantizedLanes Functions() {
  return {.dot = {Dot<kInt4, kOffsets, 1>, Dot<kInt4, kOffsets, 2>, Dot<kInt4, kOffsets, 3>, Dot<kInt4, kOffsets, 4>},
          .widen = Widen<kInt4, kOffsets>};
}

HWY_ATTR QuantizedLanes LanesOf(bool is_int4, bool has_offsets) {
  if (is_int4) return has_offsets ? Functions<true, true>() : Functions<true, false>();
  return has_offsets ? Functions<false, true>() : Functions<false, false>();
}

}  // namespace portacl::loops::quantized::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::quantized, QuantizedLanesOf, (bool is_int4, bool has_offsets, int64_t target),
                       LanesOf, is_int4, has_offsets)
