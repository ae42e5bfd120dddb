// SPDX-License-Identifier: Apache-2.0
//
// The gradient: the first pass over a row computes its sum; the second, while the row is in the first-level cache,
// computes the result.
#include <cmath>

#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fused/scaled_masked_softmax/scaled_masked_softmax_backward_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"
#include "simd/row.h"
#include "simd/row_products.h"
#include "simd/row_softmax.h"
#include "simd/short_rows.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::scaled_masked_softmax::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;

// The formula must keep this form: special values depend on it where a product is 0 * Inf.
HWY_INLINE FloatVector Unmasked(FloatVector grad, FloatVector y, FloatVector sum, FloatVector scale) {
  return hn::Mul(hn::NegMulAdd(sum, y, hn::Mul(grad, y)), scale);
}

HWY_INLINE FloatVector Gradient(FloatVector grad, FloatVector y, hn::VFromD<simd::ByteLanes> mask, FloatVector sum,
                                FloatVector scale) {
  return simd::ZeroWhere(mask, Unmasked(grad, y, sum, scale));
}

// How many elements ahead a later pass reads: a row of this tile, or probably of the next.
struct Ahead {
  ptrdiff_t grad;
  ptrdiff_t y;
};

// Whether the difference may be scaled before it is multiplied with y, which takes two steps instead of three: with y
// of at most 1, neither product leaves the range of float32 unless the result does. Rows of FLOAT are not faster for
// it.
HWY_INLINE bool AllowFewerSteps(float scale, float sum) {
  const float size = std::fabs(scale);
  return size >= 0x1p-20f && size <= 1.0f && std::fabs(sum) <= 0x1p100f;
}

template <bool kFewerSteps>
HWY_INLINE FloatVector GradientOf(FloatVector grad, FloatVector y, float sum, float scale) {
  const FloatLanes d;
  const FloatVector s = hn::Set(d, sum), c = hn::Set(d, scale);
  if constexpr (kFewerSteps) return hn::Mul(hn::MulSub(grad, c, s), y);
  return Unmasked(grad, y, s, c);
}

// The second pass. If kFewerSteps, `sum` is multiplied with the scale.
template <class T, bool kFewerSteps>
struct Gradients {
  using Lanes = simd::StoredLanes<T>;
  const simd::Stored<T>* grad;
  const simd::Stored<T>* y;
  const uint8_t* mask;
  float sum;
  float scale;
  Ahead ahead;

  HWY_INLINE Gradients From(size_t i) const { return {grad + i, y + i, mask + i, sum, scale, ahead}; }
  HWY_INLINE void FetchNext() const { simd::FetchGroup(grad + ahead.grad), simd::FetchGroup(y + ahead.y); }
  HWY_INLINE bool IsOpen() const { return simd::IsClear(mask); }
  template <bool kMasked>
  PORTACL_LANE_INLINE auto At(size_t i) const {
    FloatVector v = GradientOf<kFewerSteps>(simd::LoadFloats<T>(grad + i), simd::InRegister(simd::LoadFloats<T>(y + i)),
                                            sum, scale);
    if constexpr (kMasked) v = simd::ZeroWhere(hn::LoadU(simd::ByteLanes(), mask + i), v);
    return simd::FromFloats<T>(v);
  }
  PORTACL_LANE_INLINE auto First(size_t i, size_t n) const {
    return simd::FromFloats<T>(simd::ZeroWhere(
        simd::LoadTail(simd::ByteLanes(), mask + i, n),
        GradientOf<kFewerSteps>(simd::LoadFloats<T>(grad + i, n), simd::LoadFloats<T>(y + i, n), sum, scale)));
  }
};

// BFLOAT16 splits even and odd elements: keeping them in order would take half as many instructions again.
using Bfloat16 = hwy::bfloat16_t;
using simd::HalfLanes;
using simd::HalfVector;

template <bool kFewerSteps>
struct Gradients<Bfloat16, kFewerSteps> {
  using Lanes = HalfLanes;
  const uint16_t* grad;
  const uint16_t* y;
  const uint8_t* mask;
  float sum;
  float scale;
  Ahead ahead;

  using MaskLanes = hn::Rebind<uint8_t, HalfLanes>;

  PORTACL_LANE_INLINE HalfVector Of(HalfVector g, HalfVector v) const {
    const FloatVector even =
        GradientOf<kFewerSteps>(simd::WidenFirst<Bfloat16>(g), simd::WidenFirst<Bfloat16>(v), sum, scale);
    const FloatVector odd =
        GradientOf<kFewerSteps>(simd::WidenSecond<Bfloat16>(g), simd::WidenSecond<Bfloat16>(v), sum, scale);
    return simd::JoinBfloat16(even, odd);
  }
  HWY_INLINE HalfVector Masked(hn::VFromD<MaskLanes> bytes, HalfVector v) const {
    const HalfLanes d;
    return hn::IfThenElseZero(hn::Eq(hn::PromoteTo(d, bytes), hn::Zero(d)), v);
  }
  HWY_INLINE Gradients From(size_t i) const { return {grad + i, y + i, mask + i, sum, scale, ahead}; }
  HWY_INLINE void FetchNext() const { simd::FetchGroup(grad + ahead.grad), simd::FetchGroup(y + ahead.y); }
  HWY_INLINE bool IsOpen() const { return simd::IsClear(mask); }
  template <bool kMasked>
  PORTACL_LANE_INLINE HalfVector At(size_t i) const {
    const HalfLanes d;
    const HalfVector v = Of(simd::InRegister(hn::LoadU(d, grad + i)), simd::InRegister(hn::LoadU(d, y + i)));
    if constexpr (kMasked) return Masked(hn::LoadU(MaskLanes(), mask + i), v);
    return v;
  }
  PORTACL_LANE_INLINE HalfVector First(size_t i, size_t n) const {
    const HalfLanes d;
    return Masked(simd::LoadTail(MaskLanes(), mask + i, n),
                  Of(simd::LoadTail(d, grad + i, n), simd::LoadTail(d, y + i, n)));
  }
};

#if HWY_TARGET <= HWY_AVX2
// Rows no longer than a register, processed in groups of as many rows as a register has lanes; returns the number of
// rows computed.
template <class T>
HWY_INLINE int64_t GradientsOfShortRows(const loops::Tile& tile, float scale) {
  using E = simd::Stored<T>;
  constexpr size_t kLanes = HWY_LANES(float);
  const FloatLanes d;
  const auto n = static_cast<size_t>(tile.columns);
  const int64_t rows = loops::RowsInGroups(tile, kLanes, {0, 1, 3});
  if (rows == 0) return 0;
  HWY_ALIGN int32_t indices[kLanes * kLanes];
  simd::FillRowIndices(n, indices);
  uint8_t mask_copy[kGroupRows * kLanes];
  auto* const products = static_cast<float*>(tile.scratch);
  const FloatVector c = hn::Set(d, scale);
  const bool non_temporal = tile.non_temporal && simd::IsAlignedToRegister<T>(tile.Row<E>(3, 0));
  for (int64_t first = 0; first < rows; first += kGroupRows) {
    const auto group = static_cast<size_t>(rows - first < kGroupRows ? rows - first : kGroupRows);
    const E* const grad = tile.Row<E>(0, first);
    const E* const y = tile.Row<E>(1, first);
    E* const out = tile.Row<E>(3, first);
    const uint8_t* const mask = PackedMask(tile, 2, first, static_cast<int64_t>(group), mask_copy);
    for (size_t i = 0; i < group * n; i += kLanes) {
      hn::Store(hn::MulAdd(simd::LoadFloats<T>(grad + i), simd::LoadFloats<T>(y + i), hn::Zero(d)), d, products + i);
    }
    for (size_t row = 0; row < group; row += kLanes) {
      const FloatVector sums = simd::ReduceRows<simd::AddLanes>(products + row * n, n);
      for (size_t v = 0; v < n; ++v) {
        const size_t i = row * n + v * kLanes;
        const FloatVector sum = simd::SpreadRows(sums, indices + v * kLanes);
        const FloatVector result = Gradient(simd::LoadFloats<T>(grad + i), simd::LoadFloats<T>(y + i),
                                            hn::LoadU(simd::ByteLanes(), mask + i), sum, c);
        simd::StoreRegister(simd::StoredLanes<T>(), simd::FromFloats<T>(result), out + i, non_temporal);
      }
    }
  }
  return rows;
}

template <class T, size_t kRegisters>
HWY_INLINE void GradientInRegisters(const simd::Stored<T>* grad, const simd::Stored<T>* y, const uint8_t* mask,
                                    size_t n, float scale, simd::Stored<T>* out) {
  const FloatLanes d;
  FloatVector grads[kRegisters], results[kRegisters], products[kRegisters];
  simd::ForEachRegister<kRegisters>(n, [&](size_t i, size_t elements) HWY_ATTR {
    const size_t first = i * HWY_LANES(float);
    grads[i] = simd::LoadFloats<T>(grad + first, elements);
    results[i] = simd::LoadFloats<T>(y + first, elements);
    products[i] = hn::MulAdd(grads[i], results[i], hn::Zero(d));
  });
  const FloatVector sum = simd::SumOfRegisters<kRegisters>(products);
  simd::ForEachRegister<kRegisters>(n, [&](size_t i, size_t elements) HWY_ATTR {
    const size_t first = i * HWY_LANES(float);
    const auto bytes = simd::LoadTail(simd::ByteLanes(), mask + first, elements);
    const FloatVector result = Gradient(grads[i], results[i], bytes, sum, hn::Set(d, scale));
    simd::StoreTail(simd::StoredLanes<T>(), simd::FromFloats<T>(result), out + first, elements);
  });
}

// Rows that fit registers; returns the number of rows computed.
template <class T>
HWY_INLINE int64_t ShortGradientRows(const loops::Tile& tile, float scale) {
  using E = simd::Stored<T>;
  const auto n = static_cast<size_t>(tile.columns);
  int64_t row = GradientsOfShortRows<T>(tile, scale);
  simd::WithRegistersOf(n, [&](auto registers) HWY_ATTR {
    for (; row < tile.rows; ++row)
      GradientInRegisters<T, registers>(tile.Row<E>(0, row), tile.Row<E>(1, row), tile.Row<uint8_t>(2, row), n, scale,
                                        tile.Row<E>(3, row));
  });
  return row;
}
#else
template <class T>
HWY_INLINE int64_t ShortGradientRows(const loops::Tile&, float) {
  return 0;
}
#endif

template <class T>
struct Outputs {
  size_t n;
  bool non_temporal;
  bool backwards;
  bool are_whole;

  template <class Results>
  HWY_INLINE void Store(simd::Stored<T>* out, const Results& results) const {
    const typename Results::Lanes lanes;
    if (are_whole) {
      simd::StoreWholeRow(lanes, out, n, non_temporal, results);
    } else {
      simd::StoreRow(lanes, out, n, non_temporal, backwards, results);
    }
  }
  // Rarely called: its code would take registers from the other.
  template <class Results>
  static HWY_NOINLINE void StoreOther(Outputs outputs, simd::Stored<T>* out, Results results) {
    outputs.Store(out, results);
  }
};

template <class T>
HWY_ATTR void SoftmaxBackward(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const float scale = static_cast<const Parameters*>(tile.parameters)->scale;
  const auto n = static_cast<size_t>(tile.columns);
  // The first pass over several rows, then the second: the rows of a pass do not depend on each other.
  float sums[loops::kMostRowsTogether];
  const int64_t together = loops::GradientRowsTogether(tile.columns);
  const bool backwards = n * sizeof(E) > loops::LongRowBytes();
  const typename Gradients<T, false>::Lanes lanes;
  const bool are_whole = !backwards && simd::AreWhole(lanes, tile.Row<E>(3, 0), tile.operand[3].row_stride, n);
  const Outputs<T> outputs{n, tile.non_temporal, backwards, are_whole};
  constexpr auto kBytes = static_cast<ptrdiff_t>(sizeof(E));
  const ptrdiff_t grad_stride = tile.operand[0].row_stride / kBytes, y_stride = tile.operand[1].row_stride / kBytes;
  const ptrdiff_t mask_stride = tile.operand[2].row_stride, out_stride = tile.operand[3].row_stride / kBytes;
  const Ahead ahead{together * grad_stride, together * y_stride};
  int64_t first = ShortGradientRows<T>(tile, scale);
  const int64_t rows = tile.rows;
  const E* grad = tile.Row<E>(0, first);
  const E* y = tile.Row<E>(1, first);
  const uint8_t* mask = tile.Row<uint8_t>(2, first);
  E* out = tile.Row<E>(3, first);
  for (; first < rows; first += together) {
    const int64_t count = HWY_MIN(together, rows - first);
    for (int64_t row = 0; row < count; ++row)
      sums[row] = simd::SumOfProducts<T>(grad + row * grad_stride, y + row * y_stride, n);
    for (int64_t row = 0; row < count; ++row) {
      const float sum = sums[row];
      if constexpr (sizeof(T) == 4) {
        outputs.Store(out, Gradients<T, false>{grad, y, mask, sum, scale, ahead});
      } else if (HWY_LIKELY(AllowFewerSteps(scale, sum))) {
        outputs.Store(out, Gradients<T, true>{grad, y, mask, sum * scale, scale, ahead});
      } else {
        Outputs<T>::StoreOther(outputs, out, Gradients<T, false>{grad, y, mask, sum, scale, ahead});
      }
      grad += grad_stride, y += y_stride, mask += mask_stride, out += out_stride;
    }
  }
  if (outputs.non_temporal) hwy::FlushStream();
}

loops::LaneFunction FindSoftmaxBackward(aclDataType dtype) {
  return loops::ForFloat(dtype, []<class T>() { return SoftmaxBackward<T>; });
}

}  // namespace portacl::ops::scaled_masked_softmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::scaled_masked_softmax, SoftmaxBackwardLanes, (aclDataType dtype, int64_t target),
                       FindSoftmaxBackward, dtype)
