// SPDX-License-Identifier: Apache-2.0
#include "loops/convolutions/pixel_lanes.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/convolutions/pixel_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::convolutions::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;

// The most vectors of a tile, and the most rows by number of vectors. Sums, weights and one element fit the registers,
// and there are enough sums that no addition waits for the one before it.
#if HWY_TARGET == HWY_EMU128
constexpr int kMostVectors = 2;
constexpr int kMostRows[] = {0, 2, 2};
#elif HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr int kMostVectors = 2;
constexpr int kMostRows[] = {0, 12, 6};
#else
constexpr int kMostVectors = 4;
constexpr int kMostRows[] = {0, 12, 12, 8, 6};
#endif

// Sums are named variables, as scalable registers cannot be in arrays; unused ones take no register.
#define PORTACL_EACH_PIXEL(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

template <int kVectors, int kCount>
HWY_NOINLINE HWY_ATTR void MultiplyPixels(const PixelTile& tile, const PixelRow* rows) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
#define PORTACL_BEGIN(row)                                                             \
  FloatVector a##row = hn::Zero(d), b##row = a##row, c##row = a##row, e##row = a##row; \
  const float* const from##row = rows[(row) < kCount ? (row) : 0].from;
  PORTACL_EACH_PIXEL(PORTACL_BEGIN)
#undef PORTACL_BEGIN
  for (const PixelRun *run = tile.runs, *const end = run + tile.run_count; run != end; ++run) {
    const float* weights = tile.weights + run->term * kVectors * lanes;
    for (int64_t at = run->element, last = at + run->count; at != last; ++at, weights += kVectors * lanes) {
      const FloatVector first = hn::LoadU(d, weights);
      const FloatVector second = kVectors > 1 ? hn::LoadU(d, weights + lanes) : first;
      const FloatVector third = kVectors > 2 ? hn::LoadU(d, weights + 2 * lanes) : first;
      const FloatVector fourth = kVectors > 3 ? hn::LoadU(d, weights + 3 * lanes) : first;
#define PORTACL_STEP(row)                                                     \
  if constexpr ((row) < kCount) {                                             \
    const FloatVector element = hn::Set(d, from##row[at]);                    \
    a##row = hn::MulAdd(element, first, a##row);                              \
    if constexpr (kVectors > 1) b##row = hn::MulAdd(element, second, b##row); \
    if constexpr (kVectors > 2) c##row = hn::MulAdd(element, third, c##row);  \
    if constexpr (kVectors > 3) e##row = hn::MulAdd(element, fourth, e##row); \
  }
      PORTACL_EACH_PIXEL(PORTACL_STEP)
#undef PORTACL_STEP
      static_cast<void>(second), static_cast<void>(third), static_cast<void>(fourth);
    }
  }
#define PORTACL_ADD(row, sum, vector)                  \
  if constexpr ((row) < kCount && kVectors > (vector)) \
    sum = hn::Add(sum, hn::LoadU(d, rows[row].to + at + (vector) * lanes));
#define PORTACL_JOIN(row) \
  PORTACL_ADD(row, a##row, 0) PORTACL_ADD(row, b##row, 1) PORTACL_ADD(row, c##row, 2) PORTACL_ADD(row, e##row, 3)
  const int64_t at = tile.column;
  if (tile.adds) {
    PORTACL_EACH_PIXEL(PORTACL_JOIN)
  }
#undef PORTACL_JOIN
#undef PORTACL_ADD
#define PORTACL_STORE(row, sum, vector) \
  if constexpr ((row) < kCount && kVectors > (vector)) hn::StoreU(sum, d, rows[row].to + at + (vector) * lanes);
#define PORTACL_PUT(row)        \
  PORTACL_STORE(row, a##row, 0) \
  PORTACL_STORE(row, b##row, 1) PORTACL_STORE(row, c##row, 2) PORTACL_STORE(row, e##row, 3)
  PORTACL_EACH_PIXEL(PORTACL_PUT)
#undef PORTACL_PUT
#undef PORTACL_STORE
}

// Rows of the next tile: 2, 4, 6, 8 or 12. If the rest does not fit one tile, it becomes two of about the same size: in
// a tile of few rows, additions would wait for each other.
constexpr int64_t TileRows(int64_t left, int64_t most) {
  if (left >= 2 * most) return most;
  if (left <= most && left != 10) return left;
  for (const int64_t size : {2, 4, 6, 8}) {
    if (2 * size >= left) return size < most ? size : most;
  }
  return most;
}

template <int kVectors>
HWY_INLINE void MultiplySome(const PixelTile& tile, const PixelRow* rows, int64_t count) {
  constexpr int kMost = kMostRows[kVectors];
  if constexpr (kMost >= 12) {
    if (count == 12) return MultiplyPixels<kVectors, 12>(tile, rows);
  }
  if constexpr (kMost >= 8) {
    if (count == 8) return MultiplyPixels<kVectors, 8>(tile, rows);
  }
  if constexpr (kMost >= 6) {
    if (count == 6) return MultiplyPixels<kVectors, 6>(tile, rows);
  }
  if constexpr (kMost >= 4) {
    if (count == 4) return MultiplyPixels<kVectors, 4>(tile, rows);
  }
  MultiplyPixels<kVectors, 2>(tile, rows);
}

template <int kVectors>
HWY_ATTR void MultiplyAll(const PixelTile& tile) {
  for (int64_t at = 0; at < tile.row_count;) {
    const int64_t count = TileRows(tile.row_count - at, kMostRows[kVectors]);
    MultiplySome<kVectors>(tile, tile.rows + at, count);
    at += count;
  }
}

HWY_ATTR void MultiplyTile(const PixelTile& tile) {
  switch (tile.vectors) {
    case 1:
      return MultiplyAll<1>(tile);
    case 2:
      return MultiplyAll<2>(tile);
    default:
      if constexpr (kMostVectors > 2) return tile.vectors == 3 ? MultiplyAll<3>(tile) : MultiplyAll<kMostVectors>(tile);
  }
}

HWY_ATTR void AddWide(const float* from, int64_t count, double* sums) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::PromoteTo(d, hn::LoadU(half, from + i))), d, sums + i);
  for (; i < count; ++i) sums[i] += static_cast<double>(from[i]);
}

HWY_ATTR void AddRow(const float* addends, int64_t rows, int64_t count, float* to) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t row = 0; row < rows; ++row, to += count) {
    for (int64_t i = 0; i < count; i += lanes)
      hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, addends + i)), d, to + i);
  }
}

HWY_ATTR void Spread(const float* from, int64_t inputs, int64_t from_taps, const int64_t* taps, int64_t count,
                     float* to, int64_t stride) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t tap = 0; tap < count; ++tap) {
    for (int64_t input = 0; input < inputs; ++input, to += stride)
      hn::StoreU(hn::LoadU(d, from + (input * from_taps + taps[tap]) * lanes), d, to);
  }
}

template <class T>
HWY_ATTR void InterleaveChannels(const T* from, int64_t channel_stride, int64_t channels, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T *const second = from + channel_stride, *const third = second + (channels > 2 ? channel_stride : 0),
                 *const fourth = third + (channels > 3 ? channel_stride : 0);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto a = hn::LoadU(d, from + i), b = hn::LoadU(d, second + i), c = hn::LoadU(d, third + i);
    if (channels == 2) {
      hn::StoreInterleaved2(a, b, d, to + 2 * i);
    } else if (channels == 3) {
      hn::StoreInterleaved3(a, b, c, d, to + 3 * i);
    } else {
      hn::StoreInterleaved4(a, b, c, hn::LoadU(d, fourth + i), d, to + 4 * i);
    }
  }
  for (; i < count; ++i) {
    for (int64_t channel = 0; channel < channels; ++channel)
      to[channels * i + channel] = from[channel * channel_stride + i];
  }
}

HWY_ATTR PixelLanes PixelLanesHere() {
  return {.lanes = static_cast<int64_t>(hn::Lanes(FloatLanes())),
          .vectors = kMostVectors,
          .multiply = MultiplyTile,
          .add_wide = AddWide,
          .add_row = AddRow,
          .spread = Spread,
          .interleave = InterleaveChannels<float>,
          .interleave_halves = InterleaveChannels<uint16_t>};
}

}  // namespace portacl::loops::convolutions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::convolutions, PixelLanesOf, (int64_t target), PixelLanesHere)
