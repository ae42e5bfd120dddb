// SPDX-License-Identifier: Apache-2.0
//
// Attention of a few rows. Keys and values are read once, row by row, directly from the operand where they are
// contiguous. Included once per target.

#if defined(PORTACL_ATTENTION_DECODING_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_ATTENTION_DECODING_H_
#undef PORTACL_ATTENTION_DECODING_H_
#else
#define PORTACL_ATTENTION_DECODING_H_
#endif

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/attention/fused_infer_attention_score/attention_rows.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::fused_infer_attention_score::HWY_NAMESPACE {

/// Addresses of four keys, or four values.
template <class E>
struct FourRows {
  const E* row[4];

  // Rows from i on, of n; the last row replaces missing ones.
  FourRows(const KeyOperand& keys, int64_t i, int64_t n) {
    for (int64_t k = 0; k < 4; ++k) row[k] = reinterpret_cast<const E*>(keys.base + std::min(i + k, n - 1) * keys.row);
  }
};

/// Prefetches the rows after these.
template <class E>
HWY_INLINE void FetchRows(const KeyOperand& keys, int64_t i, int64_t n, int64_t columns) {
  constexpr int64_t kAhead = 12;
  for (int64_t k = i + kAhead; k < std::min(i + kAhead + 4, n); ++k) {
    const std::byte* const row = keys.base + k * keys.row;
    for (int64_t byte = 0; byte < columns * int64_t{sizeof(E)}; byte += 64) hwy::Prefetch(row + byte);
  }
}

/// The sums of adjacent lanes of both, those of `a` before those of `b`.
HWY_INLINE FloatVector SumsOfPairs(FloatVector a, FloatVector b) {
  const FloatLanes d;
  return hn::Add(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
}

/// The sum of the lanes of each vector.
HWY_INLINE void StoreTotals(FloatVector a, FloatVector b, FloatVector c, FloatVector e, float* to) {
  FloatVector sums = SumsOfPairs(SumsOfPairs(a, b), SumsOfPairs(c, e));
  const FloatLanes d;
  for (size_t lanes = hn::Lanes(d); lanes > 4; lanes /= 2) sums = SumsOfPairs(sums, sums);
  hn::Lanes(d) == 4 ? hn::StoreU(sums, d, to) : simd::StoreTail(d, sums, to, 4);
}

// Number of queries that share the loaded keys and values. EMU128 has no registers to hold them.
#if HWY_TARGET == HWY_EMU128
inline constexpr int kTogether = 1;
#else
inline constexpr int kTogether = 2;
#endif

/// Products of the elements [first, end) of one or two queries and four keys; each lane adds at most kScoreTerms terms.
template <class T, int kRows>
PORTACL_LANE_INLINE void ProductsOf(const FourRows<Stored<T>>& keys, int64_t first, int64_t end, const float* q,
                                    int64_t q_stride, float* s, int64_t s_stride) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector s00 = hn::Zero(d), s01 = s00, s02 = s00, s03 = s00, s10 = s00, s11 = s00, s12 = s00, s13 = s00;
  const auto add = [&](int64_t i, auto... n) HWY_ATTR {
    const FloatVector k0 = simd::LoadFloats<T>(keys.row[0] + i, n...);
    const FloatVector k1 = simd::LoadFloats<T>(keys.row[1] + i, n...);
    const FloatVector k2 = simd::LoadFloats<T>(keys.row[2] + i, n...);
    const FloatVector k3 = simd::LoadFloats<T>(keys.row[3] + i, n...);
    const FloatVector q0 = hn::LoadU(d, q + i);
    s00 = hn::MulAdd(k0, q0, s00), s01 = hn::MulAdd(k1, q0, s01);
    s02 = hn::MulAdd(k2, q0, s02), s03 = hn::MulAdd(k3, q0, s03);
    if constexpr (kRows == 2) {
      const FloatVector q1 = hn::LoadU(d, q + q_stride + i);
      s10 = hn::MulAdd(k0, q1, s10), s11 = hn::MulAdd(k1, q1, s11);
      s12 = hn::MulAdd(k2, q1, s12), s13 = hn::MulAdd(k3, q1, s13);
    }
  };
  int64_t i = first;
  for (; i + lanes <= end; i += lanes) add(i);
  if (i < end) add(i, static_cast<size_t>(end - i));
  StoreTotals(s00, s01, s02, s03, s);
  if constexpr (kRows == 2) StoreTotals(s10, s11, s12, s13, s + s_stride);
}

/// The same for all elements; writes rows of kKeyBlock products.
template <class T, int kRows>
PORTACL_LANE_INLINE void Products(const FourRows<Stored<T>>& keys, int64_t depth, const float* q, int64_t q_stride,
                                  float* s) {
  const int64_t block = kScoreTerms * static_cast<int64_t>(hn::Lanes(FloatLanes()));
  ProductsOf<T, kRows>(keys, 0, std::min(block, depth), q, q_stride, s, kKeyBlock);
  for (int64_t first = block; first < depth; first += block) {
    float of_block[kRows * 4];
    ProductsOf<T, kRows>(keys, first, std::min(first + block, depth), q, q_stride, of_block, 4);
    for (int64_t i = 0; i < kRows * 4; ++i) s[i / 4 * kKeyBlock + i % 4] += of_block[i];
  }
}

/// Adds four weighted values to the sums of one or two rows.
template <class T, int kRows>
PORTACL_LANE_INLINE void AddValues(const FourRows<Stored<T>>& values, int64_t columns, const float* p, float* sums,
                                   int64_t sums_stride) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* const p1 = p + (kRows - 1) * kKeyBlock;
  const FloatVector p00 = hn::Set(d, p[0]), p01 = hn::Set(d, p[1]), p02 = hn::Set(d, p[2]), p03 = hn::Set(d, p[3]);
  const FloatVector p10 = hn::Set(d, p1[0]), p11 = hn::Set(d, p1[1]), p12 = hn::Set(d, p1[2]), p13 = hn::Set(d, p1[3]);
  const auto add = [&](int64_t i, auto... n) HWY_ATTR {
    const FloatVector v0 = simd::LoadFloats<T>(values.row[0] + i, n...);
    const FloatVector v1 = simd::LoadFloats<T>(values.row[1] + i, n...);
    const FloatVector v2 = simd::LoadFloats<T>(values.row[2] + i, n...);
    const FloatVector v3 = simd::LoadFloats<T>(values.row[3] + i, n...);
    FloatVector sum = hn::MulAdd(v0, p00, hn::LoadU(d, sums + i));
    sum = hn::MulAdd(v3, p03, hn::MulAdd(v2, p02, hn::MulAdd(v1, p01, sum)));
    hn::StoreU(sum, d, sums + i);
    if constexpr (kRows == 2) {
      FloatVector second = hn::MulAdd(v0, p10, hn::LoadU(d, sums + sums_stride + i));
      second = hn::MulAdd(v3, p13, hn::MulAdd(v2, p12, hn::MulAdd(v1, p11, second)));
      hn::StoreU(second, d, sums + sums_stride + i);
    }
  };
  int64_t i = 0;
  for (; i + lanes <= columns; i += lanes) add(i);
  if (i < columns) add(i, static_cast<size_t>(columns - i));
}

/// The same for one row, skipping values of weight 0, which may be infinite or NaN.
template <class T>
PORTACL_LANE_INLINE void AddWeighted(const KeyOperand& values, int64_t n, int64_t columns, const float* p,
                                     float* sums) {
  const FloatLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = 0; k < n; ++k) {
    if (p[k] == 0) continue;
    const auto* const value = reinterpret_cast<const Stored<T>*>(values.base + k * values.row);
    for (int64_t i = 0; i < columns; i += lanes) {
      const FloatVector v = i + lanes <= columns ? simd::LoadFloats<T>(value + i)
                                                 : simd::LoadFloats<T>(value + i, static_cast<size_t>(columns - i));
      hn::StoreU(hn::MulAdd(v, hn::Set(d, p[k]), hn::LoadU(d, sums + i)), d, sums + i);
    }
  }
}

/// False if a sum is not finite, possibly because of values of weight 0, which kSkipZeroWeights skips.
template <class T, bool kSkipZeroWeights>
HWY_ATTR bool Decode(const Work& work) {
  using E = Stored<T>;
  const int64_t depth = Padded(work.depth), value_depth = Padded(work.value_depth);
  auto* const states = reinterpret_cast<RowState*>(work.scratch);
  static_assert(sizeof(RowState) <= 4 * sizeof(float));
  float* const q = reinterpret_cast<float*>(work.scratch + Padded(work.rows * int64_t{sizeof(RowState)}));
  float* const s = q + work.rows * depth;
  float* const sums = s + work.rows * kKeyBlock;
  auto* const dense_keys = reinterpret_cast<E*>(sums + work.rows * value_depth);
  E* const dense_values = dense_keys + kKeyBlock * depth;
  for (int64_t r = 0; r < work.rows; ++r) {
    states[r] = RowState();
    WidenRow<T>(Dense(work.query.At(work.first_row + r, work.group), work.query.column, work.depth, dense_keys),
                work.depth, depth, q + r * depth);
    for (int64_t i = 0; i < value_depth; ++i) sums[r * value_depth + i] = 0;
  }
  for (int64_t key = work.first_key; key < work.end_key; key += kKeyBlock) {
    const int64_t n = std::min(kKeyBlock, work.end_key - key);
    const KeyOperand keys =
        DenseRows({work.key.base + key * work.key.row, work.key.row, work.key.column}, n, work.depth, dense_keys);
    for (int64_t k = 0; k < n; k += 4) {
      const FourRows<E> four(keys, k, n);
      FetchRows<E>(keys, k, n, work.depth);
      int64_t r = 0;
      for (; r + kTogether <= work.rows; r += kTogether)
        Products<T, kTogether>(four, work.depth, q + r * depth, depth, s + r * kKeyBlock + k);
      if (r < work.rows) Products<T, 1>(four, work.depth, q + r * depth, depth, s + r * kKeyBlock + k);
    }
    for (int64_t r = 0; r < work.rows; ++r) {
      Exponentials<T>(work, work.first_row + r, key, n, s + r * kKeyBlock, &states[r]);
      Rescale(states[r].factor, value_depth, sums + r * value_depth);
    }
    const KeyOperand values = DenseRows({work.value.base + key * work.value.row, work.value.row, work.value.column}, n,
                                        work.value_depth, dense_values);
    for (int64_t r = 0; kSkipZeroWeights && r < work.rows; ++r)
      AddWeighted<T>(values, n, work.value_depth, s + r * kKeyBlock, sums + r * value_depth);
    for (int64_t k = 0; !kSkipZeroWeights && k < n; k += 4) {
      const FourRows<E> four(values, k, n);
      FetchRows<E>(values, k, n, work.value_depth);
      int64_t r = 0;
      for (; r + kTogether <= work.rows; r += kTogether)
        AddValues<T, kTogether>(four, work.value_depth, s + r * kKeyBlock + k, sums + r * value_depth, value_depth);
      if (r < work.rows)
        AddValues<T, 1>(four, work.value_depth, s + r * kKeyBlock + k, sums + r * value_depth, value_depth);
    }
  }
  if (!kSkipZeroWeights && !AreFinite(sums, work.rows * value_depth)) return false;
  for (int64_t r = 0; r < work.rows; ++r) {
    const float* const of_row = sums + r * value_depth;
    if (work.partial == nullptr) {
      StoreResult<T>(work, work.first_row + r, states[r].most, states[r].sum, of_row);
      continue;
    }
    float* const partial = work.partial + r * PartialFloats(work.value_depth);
    partial[0] = states[r].most;
    partial[1] = static_cast<float>(states[r].sum);
    std::memcpy(partial + 2, of_row, static_cast<size_t>(work.value_depth) * sizeof(float));
  }
  return true;
}

}  // namespace portacl::ops::fused_infer_attention_score::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
