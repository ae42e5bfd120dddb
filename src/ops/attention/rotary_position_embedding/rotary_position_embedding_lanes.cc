// SPDX-License-Identifier: Apache-2.0
//
// Processes a row once, from left to right. Both elements of a pair are read before either is written, so that y may be
// x. In mode 3 the positions read and written differ, and an aliased row is copied to scratch first.
#include "ops/attention/rotary_position_embedding/rotary_position_embedding_lanes.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/rotary_position_embedding/rotary_position_embedding_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "loops/elements/for_float.h"
#include "ops/attention/rotary_position_embedding/rotary_position_embedding_spec.h"
#include "simd/dispatch.h"
#include "simd/row.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::rotary_position_embedding::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;
using simd::Stored;

// Up to one register of elements: all lanes, or the first n.
template <class T>
HWY_INLINE void Put(FloatVector v, Stored<T>* to) {
  simd::StoreFloats<T>(v, to);
}
template <class T>
HWY_INLINE void Put(FloatVector v, Stored<T>* to, size_t n) {
  simd::StoreTail(simd::StoredLanes<T>(), simd::FromFloats<T>(v), to, n);
}

// One row of each operand.
template <class T>
struct Row {
  const Stored<T>* x;
  const Stored<T>* cos;
  const Stored<T>* sin;
  Stored<T>* y;

  // first and second are the elements `at` and at + half of the rotated columns.
  template <class... N>
  PORTACL_LANE_INLINE void StorePair(FloatVector first, FloatVector second, size_t at, size_t half, N... n) const {
    const FloatVector lost = hn::Mul(second, simd::LoadFloats<T>(sin + at, n...));
    const FloatVector gained = hn::Mul(first, simd::LoadFloats<T>(sin + at + half, n...));
    Put<T>(hn::MulSub(first, simd::LoadFloats<T>(cos + at, n...), lost), y + at, n...);
    Put<T>(hn::MulAdd(second, simd::LoadFloats<T>(cos + at + half, n...), gained), y + at + half, n...);
  }

  template <class... N>
  HWY_INLINE void RotateHalves(size_t at, size_t half, N... n) const {
    StorePair(simd::LoadFloats<T>(x + at, n...), simd::LoadFloats<T>(x + at + half, n...), at, half, n...);
  }

  // Elements with even indices form the first half, those with odd indices the second.
  HWY_INLINE void RotateSorted(size_t at, size_t half) const {
    const FloatLanes d;
    const FloatVector low = simd::LoadFloats<T>(x + 2 * at);
    const FloatVector high = simd::LoadFloats<T>(x + 2 * at + hn::Lanes(d));
    StorePair(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low), at, half);
  }
  HWY_INLINE void RotateSorted(size_t at, size_t half, size_t n) const {
    const FloatLanes d;
    const size_t of_low = HWY_MIN(2 * n, hn::Lanes(d));
    const FloatVector low = simd::LoadFloats<T>(x + 2 * at, of_low);
    const FloatVector high = simd::LoadFloats<T>(x + 2 * at + of_low, 2 * n - of_low);
    StorePair(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low), at, half, n);
  }

  // Adjacent elements form pairs.
  template <class... N>
  PORTACL_LANE_INLINE void RotateNeighbours(size_t at, N... n) const {
    const FloatLanes d;
    const FloatVector v = simd::LoadFloats<T>(x + at, n...);
    const FloatVector lost_or_gained = hn::Mul(hn::Shuffle2301(v), simd::LoadFloats<T>(sin + at, n...));
    const FloatVector signs = hn::OddEven(hn::Zero(d), hn::Set(d, -0.0f));
    Put<T>(hn::MulAdd(v, simd::LoadFloats<T>(cos + at, n...), hn::Xor(lost_or_gained, signs)), y + at, n...);
  }
};

// The columns from `begin` on: the first `half` columns are rotated with the next `half`.
template <class T>
PORTACL_LANE_INLINE void RotateHalves(const Row<T>& row, size_t begin, size_t half) {
  const size_t lanes = hn::Lanes(FloatLanes());
  size_t i = 0;
  for (; i + lanes <= half; i += lanes) row.RotateHalves(begin + i, half);
  if (i < half) row.RotateHalves(begin + i, half, half - i);
}

template <class T>
HWY_ATTR void Half(const loops::Tile& tile) {
  using E = Stored<T>;
  for (int64_t r = 0; r < tile.rows; ++r) {
    const Row<T> row{tile.Row<E>(0, r), tile.Row<E>(1, r), tile.Row<E>(2, r), tile.Row<E>(3, r)};
    RotateHalves(row, 0, static_cast<size_t>(tile.columns) / 2);
  }
}

template <class T>
HWY_ATTR void Quarter(const loops::Tile& tile) {
  using E = Stored<T>;
  const size_t half = static_cast<size_t>(tile.columns) / 2;
  for (int64_t r = 0; r < tile.rows; ++r) {
    const Row<T> row{tile.Row<E>(0, r), tile.Row<E>(1, r), tile.Row<E>(2, r), tile.Row<E>(3, r)};
    RotateHalves(row, 0, half / 2);
    RotateHalves(row, half, half / 2);
  }
}

template <class T>
HWY_ATTR void Interleave(const loops::Tile& tile) {
  using E = Stored<T>;
  const auto columns = static_cast<size_t>(tile.columns);
  const size_t lanes = hn::Lanes(FloatLanes());
  for (int64_t r = 0; r < tile.rows; ++r) {
    const Row<T> row{tile.Row<E>(0, r), tile.Row<E>(1, r), tile.Row<E>(2, r), tile.Row<E>(3, r)};
    size_t i = 0;
    for (; i + lanes <= columns; i += lanes) row.RotateNeighbours(i);
    if (i < columns) row.RotateNeighbours(i, columns - i);
  }
}

template <class T>
HWY_ATTR void InterleaveHalf(const loops::Tile& tile) {
  using E = Stored<T>;
  const size_t half = static_cast<size_t>(tile.columns) / 2;
  const size_t lanes = hn::Lanes(FloatLanes());
  for (int64_t r = 0; r < tile.rows; ++r) {
    Row<T> row{tile.Row<E>(0, r), tile.Row<E>(1, r), tile.Row<E>(2, r), tile.Row<E>(3, r)};
    if (row.x == row.y) {
      std::memcpy(tile.scratch, row.x, 2 * half * sizeof(E));
      row.x = static_cast<const E*>(tile.scratch);
    }
    size_t i = 0;
    for (; i + lanes <= half; i += lanes) row.RotateSorted(i, half);
    if (i < half) row.RotateSorted(i, half, half - i);
  }
}

loops::LaneFunction FindRotation(aclDataType dtype, int64_t mode) {
  return loops::ForFloat(dtype, [=]<class T>() {
    switch (mode) {
      case kHalf:
        return Half<T>;
      case kInterleave:
        return Interleave<T>;
      case kQuarter:
        return Quarter<T>;
      default:
        return InterleaveHalf<T>;
    }
  });
}

}  // namespace portacl::ops::rotary_position_embedding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::rotary_position_embedding, RotationLanes,
                       (aclDataType dtype, int64_t mode, int64_t target), FindRotation, dtype, mode)
