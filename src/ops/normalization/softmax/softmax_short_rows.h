// SPDX-License-Identifier: Apache-2.0
//
// Softmax and its logarithm of rows that fit registers. Included once per target.

#if defined(PORTACL_SOFTMAX_SHORT_ROWS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SOFTMAX_SHORT_ROWS_H_
#undef PORTACL_SOFTMAX_SHORT_ROWS_H_
#else
#define PORTACL_SOFTMAX_SHORT_ROWS_H_
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "loops/tiles/rows_together.h"
#include "loops/tiles/tile.h"
#include "ops/normalization/softmax/softmax_element.h"
#include "simd/log_of_any.h"
#include "simd/row.h"
#include "simd/row_softmax.h"
#include "simd/short_rows.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::softmax::HWY_NAMESPACE {

// The logarithm of a share.
struct LogOf {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V most, V log_sum) const {
    return hn::Sub(hn::Sub(x, most), log_sum);
  }
};

#if HWY_TARGET <= HWY_AVX2
// Contiguous rows, each of which fits a register, as many as it has lanes.
template <class T>
struct Group {
  float* x;  // as float32
  FloatVector most;
  const int32_t* indices;  // see SpreadRows
  simd::Stored<T>* out;
  bool non_temporal;

  // e^(x - most) of the elements from i on.
  HWY_INLINE FloatVector Exponential(size_t i, FloatVector& difference) const {
    const FloatLanes d;
    return simd::ExpBelow<kIsNarrow<T>>(d, hn::Load(d, x + i), simd::SpreadRows(most, indices + i), difference);
  }
};

// Calls compute(group) for groups; returns the number of rows computed.
template <class T, class Compute>
HWY_INLINE int64_t ForEachGroup(const loops::Tile& tile, const Compute& compute) {
  using E = simd::Stored<T>;
  constexpr int64_t kLanes = HWY_LANES(float);
  const auto n = static_cast<size_t>(tile.columns);
  const int64_t rows = loops::RowsInGroups(tile, kLanes, {0, 1});
  if (rows == 0) return 0;
  HWY_ALIGN int32_t indices[kLanes * kLanes];
  HWY_ALIGN float elements[kLanes * (kLanes + 1)];
  simd::FillRowIndices(n, indices);
  const bool non_temporal = tile.non_temporal && simd::IsAlignedToRegister<T>(tile.Row<E>(1, 0));
  for (int64_t row = 0; row < rows; row += kLanes) {
    const E* const x = tile.Row<E>(0, row);
    for (size_t i = 0; i < n * kLanes; i += kLanes) hn::Store(simd::LoadFloats<T>(x + i), FloatLanes(), elements + i);
    compute(
        Group<T>{elements, simd::ReduceRows<simd::MaxLanes>(elements, n), indices, tile.Row<E>(1, row), non_temporal});
  }
  return rows;
}

template <class T>
HWY_INLINE int64_t SoftmaxOfGroups(const loops::Tile& tile) {
  const auto n = static_cast<size_t>(tile.columns);
  return ForEachGroup<T>(tile, [&](const Group<T>& group) HWY_ATTR {
    for (size_t i = 0; i < n * HWY_LANES(float); i += HWY_LANES(float)) {
      FloatVector difference = hn::Undefined(FloatLanes());
      hn::Store(group.Exponential(i, difference), FloatLanes(), group.x + i);
    }
    simd::StoreQuotientsOfRows<T>(group.x, n, group.indices, group.out, group.non_temporal);
  });
}

// The sum of the elements below the largest, and the count of the others, as SumOfOthers.
template <class T>
HWY_INLINE int64_t LogSoftmaxOfGroups(const loops::Tile& tile) {
  constexpr size_t kLanes = HWY_LANES(float);
  const FloatLanes d;
  const auto n = static_cast<size_t>(tile.columns);
  HWY_ALIGN float smaller[kLanes * (kLanes + 1)];
  HWY_ALIGN float largest[kLanes * (kLanes + 1)];
  return ForEachGroup<T>(tile, [&](const Group<T>& group) HWY_ATTR {
    for (size_t i = 0; i < n * kLanes; i += kLanes) {
      FloatVector difference = hn::Undefined(d);
      const FloatVector e = group.Exponential(i, difference);
      const auto is_largest = hn::Eq(difference, hn::Zero(d));
      hn::Store(hn::IfThenZeroElse(is_largest, e), d, smaller + i);
      hn::Store(hn::IfThenElseZero(is_largest, hn::Set(d, 1.0f)), d, largest + i);
    }
    const FloatVector others = hn::Sub(simd::ReduceRows<simd::AddLanes>(largest, n), hn::Set(d, 1.0f));
    const FloatVector log_sum = simd::Log1p(d, hn::Add(simd::ReduceRows<simd::AddLanes>(smaller, n), others));
    for (size_t i = 0; i < n * kLanes; i += kLanes) {
      const FloatVector log = LogOf()(d, hn::Load(d, group.x + i), simd::SpreadRows(group.most, group.indices + i),
                                      simd::SpreadRows(log_sum, group.indices + i));
      simd::StoreRegister(simd::StoredLanes<T>(), simd::FromFloats<T>(log), group.out + i, group.non_temporal);
    }
  });
}

// One row.
template <class T, size_t kRegisters>
HWY_INLINE void SoftmaxInRegisters(const simd::Stored<T>* x, size_t n, simd::Stored<T>* y) {
  const FloatLanes d;
  FloatVector e[kRegisters];
  const FloatVector most = simd::LargestOfRegisters<kRegisters>(n, [&](size_t i, size_t elements) HWY_ATTR {
    e[i] = simd::LoadFloats<T>(x + i * HWY_LANES(float), elements);
    return hn::IfThenElse(hn::FirstN(d, elements), e[i], hn::Set(d, -std::numeric_limits<float>::infinity()));
  });
  simd::ForEachRegister<kRegisters>(n, [&](size_t i, size_t elements) HWY_ATTR {
    FloatVector difference = hn::Undefined(d);
    const FloatVector of_all = simd::ExpBelow<kIsNarrow<T>>(d, e[i], most, difference);
    e[i] = hn::IfThenElseZero(hn::FirstN(d, elements), of_all);
  });
  simd::StoreQuotients<T, kRegisters>(e, n, y);
}

// Rows that fit registers. Returns whether they do.
template <class T>
HWY_INLINE bool SoftmaxOfShortRows(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  int64_t row = SoftmaxOfGroups<T>(tile);
  const bool fits = simd::WithRegistersOf(n, [&](auto registers) HWY_ATTR {
    for (; row < tile.rows; ++row) SoftmaxInRegisters<T, registers>(tile.Row<E>(0, row), n, tile.Row<E>(1, row));
  });
  if (fits && tile.non_temporal) hwy::FlushStream();
  return fits;
}
#else
template <class T>
HWY_INLINE bool SoftmaxOfShortRows(const loops::Tile&) {
  return false;
}
template <class T>
HWY_INLINE int64_t LogSoftmaxOfGroups(const loops::Tile&) {
  return 0;
}
#endif

}  // namespace portacl::ops::softmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
