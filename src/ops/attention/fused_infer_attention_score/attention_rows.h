// SPDX-License-Identifier: Apache-2.0
//
// Operations on rows that both ways of attention share: scores, their exponentials, results. Included once per target.

#if defined(PORTACL_ATTENTION_ROWS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_ATTENTION_ROWS_H_
#undef PORTACL_ATTENTION_ROWS_H_
#else
#define PORTACL_ATTENTION_ROWS_H_
#endif

#include <cmath>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "ops/attention/fused_infer_attention_score/fused_infer_attention_score_lanes.h"
#include "simd/row.h"
#include "simd/row_softmax.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::fused_infer_attention_score::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;
using simd::FloatLanes;
using simd::FloatVector;
using simd::Stored;

/// The number of terms of a score that are added directly (per lane, if lanes are added) before their sum is added to
/// the others.
inline constexpr int64_t kScoreTerms = 32;

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// n contiguous elements: in the operand itself, or copied to `dense`.
template <class E>
HWY_INLINE const E* Dense(const std::byte* from, int64_t column, int64_t n, E* dense) {
  if (column == int64_t{sizeof(E)}) return reinterpret_cast<const E*>(from);
  for (int64_t i = 0; i < n; ++i) std::memcpy(dense + i, from + i * column, sizeof(E));
  return dense;
}

/// The same for rows of keys.
template <class E>
HWY_INLINE KeyOperand DenseRows(const KeyOperand& keys, int64_t n, int64_t columns, E* dense) {
  if (keys.column == int64_t{sizeof(E)}) return keys;
  for (int64_t i = 0; i < n; ++i) Dense(keys.base + i * keys.row, keys.column, columns, dense + i * columns);
  return {reinterpret_cast<const std::byte*>(dense), columns * int64_t{sizeof(E)}, int64_t{sizeof(E)}};
}

/// n elements as floats, and zeros up to `padded`.
template <class T>
PORTACL_LANE_INLINE void WidenRow(const Stored<T>* from, int64_t n, int64_t padded, float* to) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(simd::LoadFloats<T>(from + i), d, to + i);
  if (i < n) hn::StoreU(simd::LoadFloats<T>(from + i, static_cast<size_t>(n - i)), d, to + i), i += lanes;
  for (; i < padded; ++i) to[i] = 0;
}

/// Largest score and sum of exponentials of the keys so far.
struct RowState {
  float most = -kInfinity;
  float factor = 1;  // applied to the sums so far
  double sum = 0;
};

/// s = e^(s - top) for the kKeyBlock elements of s; returns their sum.
PORTACL_LANE_INLINE float ExponentialsBelow(float top, float* s) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector sum = hn::Zero(d);
  for (int64_t i = 0; i < kKeyBlock; i += lanes) {
    FloatVector difference = hn::Undefined(d);
    const FloatVector e = simd::ExpBelow<true>(d, hn::LoadU(d, s + i), hn::Set(d, top), difference);
    hn::StoreU(e, d, s + i);
    sum = hn::Add(sum, e);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

/// e^(x - top)
PORTACL_LANE_INLINE float ExponentialBelow(float top, float x) {
  const FloatLanes d;
  FloatVector difference = hn::Undefined(d);
  return hn::GetLane(simd::ExpBelow<true>(d, hn::Set(d, x), hn::Set(d, top), difference));
}

/// Computes the exponentials of n products of a query and the keys from `first_key` on. All kKeyBlock elements of s are
/// written; those after the n-th become 0.
template <class T>
PORTACL_LANE_INLINE void Exponentials(const Work& work, int64_t row, int64_t first_key, int64_t n, float* s,
                                      RowState* state) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t query = row / work.group;
  const int64_t begin = std::clamp<int64_t>(query + work.low - first_key, 0, n);
  const int64_t end = std::clamp<int64_t>(query + work.high + 1 - first_key, begin, n);
  Stored<T> pse_copy[kKeyBlock];
  uint8_t mask_copy[kKeyBlock];
  const Stored<T>* pse = nullptr;
  const uint8_t* mask = nullptr;
  if (work.pse.base != nullptr)
    pse = Dense(work.pse.At(row, work.group) + first_key * work.pse.column, work.pse.column, n, pse_copy);
  if (work.mask.base != nullptr)
    mask = Dense(work.mask.At(row, work.group) + first_key * work.mask.column, work.mask.column, n, mask_copy);
  const FloatVector scale = hn::Set(d, work.scale);
  const FloatVector nothing = hn::Set(d, -kInfinity);
  FloatVector most = nothing;
  for (int64_t i = 0; i < kKeyBlock; i += lanes) {
    FloatVector v = nothing;
    if (i < end && i + lanes > begin) {
      const bool is_whole = i + lanes <= n;
      const auto left = static_cast<size_t>(n - i);
      v = hn::Mul(hn::LoadU(d, s + i), scale);
      if (pse != nullptr) v = hn::Add(v, is_whole ? simd::LoadFloats<T>(pse + i) : simd::LoadFloats<T>(pse + i, left));
      if (mask != nullptr)
        v = hn::IfThenElse(is_whole ? simd::LoadMask(mask + i) : simd::LoadMask(mask + i, left), nothing, v);
      if (i < begin || i + lanes > end) {
        const FloatVector place = hn::Iota(d, static_cast<float>(i));
        const auto outside = hn::Or(hn::Lt(place, hn::Set(d, static_cast<float>(begin))),
                                    hn::Ge(place, hn::Set(d, static_cast<float>(end))));
        v = hn::IfThenElse(outside, nothing, v);
      }
      most = hn::Max(v, most);
    }
    hn::StoreU(v, d, s + i);
  }
  const float before = state->most;
  const float largest = hn::GetLane(hn::MaxOfLanes(d, most));
  if (!(largest <= before)) state->most = largest;
  // If all scores are -inf, their exponentials are 0.
  const float top = state->most == -kInfinity ? 0 : state->most;
  const float sum = ExponentialsBelow(top, s);
  state->factor = top == before ? 1 : ExponentialBelow(top, before);
  state->sum = state->sum * double{state->factor} + double{sum};
}

/// sums *= factor; with factor 0 the sums become 0, even infinities and NaN.
HWY_INLINE void Rescale(float factor, int64_t padded, float* sums) {
  if (factor == 1) return;
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < padded; i += lanes) {
    const FloatVector v = factor == 0 ? hn::Zero(d) : hn::Mul(hn::LoadU(d, sums + i), hn::Set(d, factor));
    hn::StoreU(v, d, sums + i);
  }
}

/// Whether none of the n floats is infinite or NaN.
HWY_INLINE bool AreFinite(const float* from, int64_t padded) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector zeros = hn::Zero(d);
  for (int64_t i = 0; i < padded; i += lanes) zeros = hn::MulAdd(hn::LoadU(d, from + i), hn::Zero(d), zeros);
  return hn::AllTrue(d, hn::Eq(zeros, hn::Zero(d)));
}

/// Writes the results of a row.
template <class T>
PORTACL_LANE_INLINE void StoreResult(const Work& work, int64_t row, float most, double sum, const float* sums) {
  const bool has_keys = sum != 0 && row / work.group < work.queries;  // a NaN sum does have keys
  if (work.lse.base != nullptr) {
    const float lse = has_keys ? static_cast<float>(double{most} + std::log(sum)) : kInfinity;
    std::memcpy(work.lse.At(row, work.group), &lse, sizeof(lse));
  }
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  std::byte* const to = work.out.At(row, work.group);
  const FloatVector divisor = hn::Set(d, has_keys ? static_cast<float>(sum) : 1);
  HWY_ALIGN Stored<T> buffer[HWY_MAX_BYTES / sizeof(float)];
  for (int64_t i = 0; i < work.value_depth; i += lanes) {
    const FloatVector v = has_keys ? hn::Div(hn::LoadU(d, sums + i), divisor) : hn::Zero(d);
    const auto narrow = simd::FromFloats<T>(v);
    const simd::StoredLanes<T> stored;
    const int64_t n = std::min(lanes, work.value_depth - i);
    if (work.out.column == int64_t{sizeof(Stored<T>)}) {
      auto* const at = reinterpret_cast<Stored<T>*>(to) + i;
      n == lanes ? hn::StoreU(narrow, stored, at) : simd::StoreTail(stored, narrow, at, static_cast<size_t>(n));
      continue;
    }
    hn::StoreU(narrow, stored, buffer);
    for (int64_t j = 0; j < n; ++j) std::memcpy(to + (i + j) * work.out.column, buffer + j, sizeof(buffer[0]));
  }
}

}  // namespace portacl::ops::fused_infer_attention_score::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
