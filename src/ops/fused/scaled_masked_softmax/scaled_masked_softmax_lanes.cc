// SPDX-License-Identifier: Apache-2.0
//
// The forward operator: three passes over a row, of which only the first finds it outside the first-level cache. The
// exponentials stay in scratch until their sum is known.
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fused/scaled_masked_softmax/scaled_masked_softmax_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "loops/elements/for_float.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_element.h"
#include "simd/dispatch.h"
#include "simd/row.h"
#include "simd/row_softmax.h"
#include "simd/row_sum.h"
#include "simd/short_rows.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::scaled_masked_softmax::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;

// The first pass: the largest t. kIsOpen: no element is masked.
template <class T, bool kIsOpen>
struct Scores {
  const simd::Stored<T>* x;
  const uint8_t* mask;
  float scale;

  PORTACL_LANE_INLINE FloatVector operator()(size_t i) const {
    const FloatLanes d;
    const FloatVector t = hn::Mul(simd::LoadFloats<T>(x + i), hn::Set(d, scale));
    if constexpr (kIsOpen) return t;
    return hn::IfThenElse(simd::LoadMask(mask + i), hn::Set(d, kFill), t);
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n) const {
    const FloatLanes d;
    const FloatVector t = hn::IfThenElse(simd::LoadMask(mask + i, n), hn::Set(d, kFill),
                                         hn::Mul(simd::LoadFloats<T>(x + i, n), hn::Set(d, scale)));
    return hn::IfThenElse(hn::FirstN(d, n), t, hn::Set(d, -kInfinity));
  }
};

// The differences between each t and the largest.
template <class T>
struct Differences {
  const simd::Stored<T>* x;
  const uint8_t* mask;
  float scale;
  float most;

  PORTACL_LANE_INLINE FloatVector operator()(size_t i) const {
    const FloatLanes d;
    return Difference(simd::LoadFloats<T>(x + i), hn::Set(d, scale), simd::LoadMask(mask + i), hn::Set(d, most));
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n) const {
    const FloatLanes d;
    const FloatVector difference =
        Difference(simd::LoadFloats<T>(x + i, n), hn::Set(d, scale), simd::LoadMask(mask + i, n), hn::Set(d, most));
    return hn::IfThenElse(hn::FirstN(d, n), difference, hn::Set(d, -kInfinity));
  }
};

// The second pass: writes exponentials to scratch and adds them. kIsNear: as kAllNear of ExpOfDifference.
template <class T, bool kIsNear, bool kIsOpen>
struct Exponentials {
  const simd::Stored<T>* x;
  const uint8_t* mask;
  float scale;
  float most;
  float rest;
  float* scratch;
  const simd::Stored<T>* next;  // a row to prefetch for a later pass: of this tile, or where the next probably is

  PORTACL_LANE_INLINE FloatVector Of(FloatVector v, FloatMask masked) const {
    const FloatLanes d;
    return ExpOfDifference<T, kIsNear>(v, hn::Set(d, scale), masked, hn::Set(d, most), hn::Zero(d), hn::Set(d, rest));
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, FloatVector sum) const {
    const FloatVector e =
        Of(simd::LoadFloats<T>(x + i), kIsOpen ? hn::FirstN(FloatLanes(), 0) : simd::LoadMask(mask + i));
    hn::StoreU(e, FloatLanes(), scratch + i);
    hwy::Prefetch(next + i);
    return hn::Add(sum, e);
  }
  PORTACL_LANE_INLINE FloatVector operator()(size_t i, size_t n, FloatVector sum) const {
    const FloatLanes d;
    const FloatVector e =
        hn::IfThenElseZero(hn::FirstN(d, n), Of(simd::LoadFloats<T>(x + i, n), simd::LoadMask(mask + i, n)));
    hn::StoreU(e, d, scratch + i);
    return hn::Add(sum, e);
  }
};

// The second pass over a row whose largest t is `most`.
template <class T>
HWY_INLINE double SumOfExponentials(const simd::Stored<T>* x, const uint8_t* mask, size_t n, float scale, float most,
                                    bool is_open, float* scratch, const simd::Stored<T>* next) {
  if (-kNear < most && most < kNear) {
    const float rounded = hn::GetLane(RoundedDown(hn::Set(FloatLanes(), most)));
    if (is_open) return simd::SumRow(n, Exponentials<T, true, true>{x, mask, scale, rounded, 0, scratch, next});
    return simd::SumRow(n, Exponentials<T, true, false>{x, mask, scale, rounded, 0, scratch, next});
  }
  const float largest = simd::LargestOf(n, Differences<T>{x, mask, scale, most});
  const float rest = hn::GetLane(RestOf(hn::Set(FloatLanes(), largest)));
  return simd::SumRow(n, Exponentials<T, false, false>{x, mask, scale, most, rest, scratch, next});
}

#if HWY_TARGET <= HWY_AVX2
// Several contiguous rows, none longer than a register.
template <class T>
struct ShortGroup {
  static constexpr size_t kLanes = HWY_LANES(float);

  const simd::Stored<T>* x;
  const uint8_t* mask;
  float scale;
  size_t n;
  size_t rows;  // a multiple of kLanes
  const int32_t* indices;
  float* scratch;
  float* most;     // one per row
  float* is_near;  // 1 or 0
  float* rests;

  HWY_INLINE bool FindMost() const {
    const FloatLanes d;
    const Scores<T, false> scores{x, mask, scale};
    for (size_t i = 0; i < rows * n; i += kLanes) hn::Store(scores(i), d, scratch + i);
    bool all_near = true;
    for (size_t row = 0; row < rows; row += kLanes) {
      const FloatVector largest = simd::ReduceRows<simd::MaxLanes>(scratch + row * n, n);
      const FloatMask near = IsNear(largest);
      hn::Store(hn::IfThenElse(near, RoundedDown(largest), largest), d, most + row);
      hn::Store(hn::IfThenElseZero(near, hn::Set(d, 1.0f)), d, is_near + row);
      all_near &= hn::AllTrue(d, near);
    }
    return all_near;
  }

  // Sets rests of rows that are not near; for near rows the difference to `most` is not due to rounding.
  HWY_INLINE void FindRests() const {
    const FloatLanes d;
    for (size_t row = 0; row < rows; row += kLanes) {
      const FloatVector of_rows = hn::Load(d, most + row);
      for (size_t v = 0; v < n; ++v) {
        const size_t i = row * n + v * kLanes;
        hn::Store(Difference(simd::LoadFloats<T>(x + i), hn::Set(d, scale), simd::LoadMask(mask + i),
                             simd::SpreadRows(of_rows, indices + v * kLanes)),
                  d, scratch + i);
      }
      const FloatMask near = hn::Ne(hn::Load(d, is_near + row), hn::Zero(d));
      const FloatVector largest = simd::ReduceRows<simd::MaxLanes>(scratch + row * n, n);
      hn::Store(hn::IfThenZeroElse(near, RestOf(largest)), d, rests + row);
    }
  }

  template <bool kAllNear>
  HWY_INLINE void FindExponentials() const {
    const FloatLanes d;
    const FloatVector c = hn::Set(d, scale);
    for (size_t row = 0; row < rows; row += kLanes) {
      const FloatVector of_rows = hn::Load(d, most + row);
      for (size_t v = 0; v < n; ++v) {
        const size_t i = row * n + v * kLanes;
        const int32_t* const index = indices + v * kLanes;
        const FloatVector near = kAllNear ? hn::Zero(d) : simd::SpreadRows(hn::Load(d, is_near + row), index);
        const FloatVector rest = kAllNear ? hn::Zero(d) : simd::SpreadRows(hn::Load(d, rests + row), index);
        const FloatVector e = ExpOfDifference<T, kAllNear>(simd::LoadFloats<T>(x + i), c, simd::LoadMask(mask + i),
                                                           simd::SpreadRows(of_rows, index), near, rest);
        hn::Store(e, d, scratch + i);
      }
    }
  }

  HWY_INLINE void StoreQuotients(simd::Stored<T>* y, bool non_temporal) const {
    for (size_t i = 0; i < rows * n; i += kLanes * n)
      simd::StoreQuotientsOfRows<T>(scratch + i, n, indices, y + i, non_temporal);
  }
};

// Rows no longer than a register, processed in groups of as many rows as a register has lanes; returns the number of
// rows computed.
template <class T>
HWY_INLINE int64_t GroupsOfShortRows(const loops::Tile& tile, float scale) {
  using E = simd::Stored<T>;
  constexpr size_t kLanes = HWY_LANES(float);
  const auto n = static_cast<size_t>(tile.columns);
  const int64_t rows = loops::RowsInGroups(tile, kLanes, {0, 2});
  if (rows == 0) return 0;
  HWY_ALIGN int32_t indices[kLanes * kLanes];
  HWY_ALIGN float most[kGroupRows];
  HWY_ALIGN float is_near[kGroupRows];
  HWY_ALIGN float rests[kGroupRows];
  uint8_t mask_copy[kGroupRows * kLanes];
  simd::FillRowIndices(n, indices);
  const bool non_temporal = tile.non_temporal && simd::IsAlignedToRegister<T>(tile.Row<E>(2, 0));
  for (int64_t first = 0; first < rows; first += kGroupRows) {
    const int64_t count = rows - first < kGroupRows ? rows - first : kGroupRows;
    const ShortGroup<T> group{tile.Row<E>(0, first),
                              PackedMask(tile, 1, first, count, mask_copy),
                              scale,
                              n,
                              static_cast<size_t>(count),
                              indices,
                              static_cast<float*>(tile.scratch),
                              most,
                              is_near,
                              rests};
    if (group.FindMost()) {
      group.template FindExponentials<true>();
    } else {
      group.FindRests();
      group.template FindExponentials<false>();
    }
    group.StoreQuotients(tile.Row<E>(2, first), non_temporal);
  }
  return rows;
}

// Returns false, and computes nothing, if the largest t of the row is not near zero.
template <class T, size_t kRegisters>
HWY_INLINE bool SoftmaxInRegisters(const simd::Stored<T>* x, const uint8_t* mask, size_t n, float scale,
                                   simd::Stored<T>* y) {
  const FloatLanes d;
  const FloatVector c = hn::Set(d, scale);
  FloatVector e[kRegisters];
  FloatMask masked[kRegisters];
  const FloatVector most = simd::LargestOfRegisters<kRegisters>(n, [&](size_t i, size_t elements) HWY_ATTR {
    const size_t first = i * HWY_LANES(float);
    e[i] = simd::LoadFloats<T>(x + first, elements);
    masked[i] = simd::LoadMask(mask + first, elements);
    const FloatVector t = hn::IfThenElse(masked[i], hn::Set(d, kFill), hn::Mul(e[i], c));
    return hn::IfThenElse(hn::FirstN(d, elements), t, hn::Set(d, -kInfinity));
  });
  if (!hn::AllTrue(d, IsNear(most))) return false;
  simd::ForEachRegister<kRegisters>(n, [&](size_t i, size_t elements) HWY_ATTR {
    const FloatVector of_all =
        ExpOfDifference<T, true>(e[i], c, masked[i], RoundedDown(most), hn::Zero(d), hn::Zero(d));
    e[i] = hn::IfThenElseZero(hn::FirstN(d, elements), of_all);
  });
  simd::StoreQuotients<T, kRegisters>(e, n, y);
  return true;
}

// Computes rows that fit registers, up to the first that needs more; returns the number of rows computed.
template <class T>
HWY_INLINE int64_t ShortSoftmaxRows(const loops::Tile& tile, float scale) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  int64_t row = GroupsOfShortRows<T>(tile, scale);
  simd::WithRegistersOf(n, [&](auto registers) HWY_ATTR {
    const auto compute = [&] HWY_ATTR {
      return SoftmaxInRegisters<T, registers>(tile.Row<E>(0, row), tile.Row<uint8_t>(1, row), n, scale,
                                              tile.Row<E>(2, row));
    };
    while (row < tile.rows && compute()) ++row;
  });
  return row;
}
#else
template <class T>
HWY_INLINE int64_t ShortSoftmaxRows(const loops::Tile&, float) {
  return 0;
}
#endif

template <class T>
HWY_ATTR void Softmax(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const float scale = static_cast<const Parameters*>(tile.parameters)->scale;
  const auto n = static_cast<size_t>(tile.columns);
  auto* const scratch = static_cast<float*>(tile.scratch);
  // Each pass over several rows: the rows of a pass do not depend on each other.
  float most[loops::kMostRowsTogether];
  double sums[loops::kMostRowsTogether];
  bool is_open[loops::kMostRowsTogether];
  const int64_t together = loops::RowsTogether(tile.columns);
  const typename simd::Quotients<T>::Lanes lanes;
  const bool are_whole = simd::AreWhole(lanes, tile.Row<E>(2, 0), tile.operand[2].row_stride, n);
  for (int64_t first = ShortSoftmaxRows<T>(tile, scale); first < tile.rows; first += together) {
    const int64_t end = first + together < tile.rows ? first + together : tile.rows;
    for (int64_t row = first; row < end; ++row) {
      const uint8_t* const mask = tile.Row<uint8_t>(1, row);
      is_open[row - first] = HWY_TARGET != HWY_EMU128 && simd::IsClear(mask, n);  // the fallback's code is kept small
      most[row - first] = is_open[row - first] ? simd::LargestOf(n, Scores<T, true>{tile.Row<E>(0, row), mask, scale})
                                               : simd::LargestOf(n, Scores<T, false>{tile.Row<E>(0, row), mask, scale});
    }
    for (int64_t row = first; row < end; ++row) {
      sums[row - first] = SumOfExponentials<T>(tile.Row<E>(0, row), tile.Row<uint8_t>(1, row), n, scale,
                                               most[row - first], is_open[row - first],
                                               scratch + (row - first) * tile.columns, tile.Row<E>(0, row + together));
    }
    for (int64_t row = first; row < end; ++row) {
      const auto quotients = simd::QuotientsOf<T>(scratch + (row - first) * tile.columns, sums[row - first], n);
      if (are_whole) {
        simd::StoreWholeRow(lanes, tile.Row<E>(2, row), n, tile.non_temporal, quotients);
      } else {
        simd::StoreRow(lanes, tile.Row<E>(2, row), n, tile.non_temporal, false, quotients);
      }
    }
  }
  if (tile.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindSoftmax(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return Softmax<T>; });
}

}  // namespace portacl::ops::scaled_masked_softmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::scaled_masked_softmax, SoftmaxLanes, (aclDataType dtype, int64_t target),
                       FindSoftmax, dtype)
